using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;
using Conformance.Changes;
using Conformance.Faults;

namespace Conformance
{
    /// <summary>
    /// Runs the cases: every public method of a class of cases that returns a task. Reports them as TAP. Arguments choose
    /// the cases whose names contain one of them.
    /// </summary>
    public static class Program
    {
        private const int AtATimeMax = 8;
        private const int MessageLengthMax = 1500;
        private static readonly TimeSpan CaseTimeMax = TimeSpan.FromSeconds(180);

        private static int passed;
        private static int failed;
        private static int skipped;

        public static async Task<int> Main(string[] chosen)
        {
            if (ChangeWorker.IsMeant(chosen))
            {
                await ChangeWorker.Run(chosen);
                return 0;
            }
            if (Ledger.IsMeant(chosen))
            {
                await Ledger.Run(chosen);
                return 0;
            }
            bool IsChosen(string name) => chosen.Length == 0 || chosen.Any(part => name.Contains(part));
            Console.WriteLine("TAP version 13");
            using (var places = new SemaphoreSlim(AtATimeMax))
            {
                IEnumerable<Type> classes = typeof(Cases).Assembly.GetTypes()
                    .Where(type => type.IsSubclassOf(typeof(Cases)) && !type.IsAbstract)
                    .OrderBy(type => type.GetCustomAttribute<LongAttribute>() == null).ThenBy(type => type.Name);
                await Task.WhenAll(classes.Select(type => RunClass(type, IsChosen, places)).ToList());
            }
            Console.WriteLine($"1..{passed + failed + skipped}");
            Console.WriteLine($"# pass {passed}\n# fail {failed}\n# skipped {skipped}");
            return failed == 0 ? 0 : 1;
        }

        private static async Task RunClass(Type type, Func<string, bool> isChosen, SemaphoreSlim places)
        {
            List<MethodInfo> methods = type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.DeclaredOnly)
                .Where(method => method.ReturnType == typeof(Task) && isChosen(NameOf(method))).ToList();
            if (methods.Count == 0) return;
            var cases = (Cases)Activator.CreateInstance(type);
            await Task.WhenAll(methods.Select(method => RunCase(cases, method, places)).ToList());
            await cases.End();
        }

        private static async Task RunCase(Cases cases, MethodInfo method, SemaphoreSlim places)
        {
            await places.WaitAsync();
            var watch = Stopwatch.StartNew();
            Exception problem = null;
            try
            {
                Task work = Task.Run(() => (Task)method.Invoke(cases, null));
                if (await Task.WhenAny(work, Task.Delay(CaseTimeMax)) != work)
                {
                    throw new TimeoutException($"It has not ended after {CaseTimeMax.TotalSeconds} s.");
                }
                await work;
            }
            catch (Exception caught)
            {
                problem = caught;
            }
            finally
            {
                places.Release();
            }
            Report(NameOf(method), problem, watch.Elapsed);
        }

        private static string NameOf(MethodInfo method) => $"{method.DeclaringType.Name}: {method.Name.Replace('_', ' ')}";

        /// <summary>The start of what went wrong, and where in the cases.</summary>
        private static string Shown(Exception problem)
        {
            string message = $"{problem.GetType().Name}: {problem.Message}";
            if (message.Length > MessageLengthMax) message = message.Substring(0, MessageLengthMax) + "...";
            IEnumerable<string> places = (problem.StackTrace ?? "").Split('\n').Where(line => line.Contains(nameof(Conformance)));
            return string.Join("\n", places.Prepend(message)).Replace("\n", "\n  ");
        }

        private static void Report(string name, Exception problem, TimeSpan time)
        {
            lock (typeof(Program))
            {
                string end = $" # {time.TotalMilliseconds:0} ms";
                int number = passed + failed + skipped + 1;
                switch (problem)
                {
                    case null:
                        passed++;
                        Console.WriteLine($"ok {number} - {name}{end}");
                        break;
                    case SkippedException reason:
                        skipped++;
                        Console.WriteLine($"ok {number} - {name} # SKIP {reason.Message}");
                        break;
                    default:
                        failed++;
                        Console.WriteLine($"not ok {number} - {name}");
                        Console.WriteLine($"  {Shown(problem)}{end}");
                        break;
                }
            }
        }
    }
}
