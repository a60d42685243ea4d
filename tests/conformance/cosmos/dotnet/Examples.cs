using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace Conformance
{
    /// <summary>The programs in examples/dotnet, which the suite's runner has compiled beside this one.</summary>
    public sealed class Examples : Cases
    {
        public async Task Device_readings_are_kept_queried_and_summed_up()
        {
            string folder = Environment.GetEnvironmentVariable("PARTITA_EXAMPLES");
            if (folder == null) throw new SkippedException("PARTITA_EXAMPLES does not say where they are");
            var arguments = new List<string> { Account.Endpoint, Account.Key, Path.Combine(folder, "scripts"), Account.UniqueId("devices") };
            if (!Account.IsDirect) arguments.Add("Gateway"); // direct mode is what it does by itself
            string said = await Run("DeviceReadings", arguments);
            Check.Equal(
                new[]
                {
                    "XMS-001-FE24C measured 105 degrees Fahrenheit, read for 1 RU",
                    "XMS-001-FE24C is corrected to 104",
                    "XMS-0001 has 3 temperatures",
                    "6 temperatures are above 100",
                    "in order, from 101 to 104",
                    "the latest Humidity of XMS-0001 is 86",
                    "the latest Temperature of XMS-0001 is 85",
                },
                said.Trim().Split('\n'));
        }

        private static async Task<string> Run(string program, IEnumerable<string> arguments)
        {
            var start = new ProcessStartInfo(Process.GetCurrentProcess().MainModule.FileName) { RedirectStandardOutput = true };
            start.ArgumentList.Add(Path.Combine(AppContext.BaseDirectory, program + ".dll"));
            foreach (string argument in arguments) start.ArgumentList.Add(argument);
            using (Process process = Process.Start(start))
            {
                string said = await process.StandardOutput.ReadToEndAsync();
                process.WaitForExit();
                Check.Equal(0, process.ExitCode, $"the program says {said}:");
                return said;
            }
        }
    }
}
