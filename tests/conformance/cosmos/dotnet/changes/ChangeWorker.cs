using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance.Changes
{
    /// <summary>A change feed processor in a process of its own, so that it can be killed. It writes the number of each document that it is told of.</summary>
    public sealed class ChangeWorker : IDisposable
    {
        private const string Mode = "change-worker";
        private readonly Process process;

        public ChangeWorker(string name, Container watched, Container leases)
        {
            Name = name;
            var start = new ProcessStartInfo(Process.GetCurrentProcess().MainModule.FileName)
            {
                RedirectStandardOutput = true,
                RedirectStandardInput = true,
            };
            foreach (string argument in new[] { typeof(ChangeWorker).Assembly.Location, Mode, name, watched.Database.Id, watched.Id, leases.Id })
            {
                start.ArgumentList.Add(argument);
            }
            process = Process.Start(start);
            process.OutputDataReceived += (_, line) =>
            {
                if (int.TryParse(line.Data, out int n)) Seen[n] = true;
            };
            process.BeginOutputReadLine();
        }

        public string Name { get; }

        public ConcurrentDictionary<int, bool> Seen { get; } = new ConcurrentDictionary<int, bool>();

        public bool IsRunning => !process.HasExited;

        /// <summary>It gets no chance to give its leases back.</summary>
        public void Kill()
        {
            process.Kill();
            process.WaitForExit();
        }

        public void Dispose()
        {
            if (IsRunning) Kill();
            process.Dispose();
        }

        public static bool IsMeant(string[] arguments) => arguments.Length == 5 && arguments[0] == Mode;

        /// <summary>What the process does, until its standard input ends.</summary>
        public static async Task Run(string[] arguments)
        {
            Database database = Account.Client.GetDatabase(arguments[2]);
            ChangeFeedProcessor processor = Processor(arguments[1], database.GetContainer(arguments[3]), database.GetContainer(arguments[4]), things =>
            {
                lock (Mode)
                {
                    foreach (Thing thing in things) Console.WriteLine(thing.N);
                }
            });
            await processor.StartAsync();
            while (await Console.In.ReadLineAsync() != null)
            {
            }
        }

        /// <summary>A processor with leases that change hands within seconds.</summary>
        public static ChangeFeedProcessor Processor(string worker, Container watched, Container leases, Action<IReadOnlyCollection<Thing>> handle) =>
            watched.GetChangeFeedProcessorBuilder<Thing>("watch", (things, stopped) =>
                {
                    handle(things);
                    return Task.CompletedTask;
                })
                .WithInstanceName(worker)
                .WithLeaseContainer(leases)
                // A lease whose owner notes its position all the time can hardly be taken over.
                .WithPollInterval(TimeSpan.FromMilliseconds(500))
                .WithLeaseConfiguration(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(6), TimeSpan.FromSeconds(1))
                .WithStartTime(DateTime.MinValue.ToUniversalTime())
                .WithMaxItems(10)
                .Build();
    }
}
