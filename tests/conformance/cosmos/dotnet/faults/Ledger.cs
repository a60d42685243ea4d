using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Newtonsoft.Json;

namespace Conformance.Faults
{
    /// <summary>
    /// A program that writes and reads while its account is hurt, and remembers what it was told. It goes on until its standard
    /// input ends; then it reads everything once more. It says, in lines:
    ///   ok WRITER              an operation was answered as it should be
    ///   failed WRITER STATUS   nobody knows what became of an operation
    ///   wrong WRITER TEXT      what the account has promised does not hold, or its error is a lie
    ///   end ACKNOWLEDGED       all was read once more
    /// </summary>
    public sealed class Ledger
    {
        private const string Mode = "ledger";
        private const int Writers = 4;
        private const int Keys = 20;
        private const int FinalTries = 50;
        private const int MessageLengthMax = 300;
        private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(4);

        private readonly int writer;
        private readonly Container container;
        private readonly Random random;
        private readonly List<int> acknowledged = new List<int>();
        private int written;
        // What the counter must at least be, and what it can be at most: more only while an increment has an unknown outcome.
        private int least;
        private int most;
        private string etag;

        private Ledger(int writer, Container container)
        {
            this.writer = writer;
            this.container = container;
            random = new Random(writer);
        }

        private enum Outcome
        {
            Done,
            Refused,
            Unknown,
        }

        private sealed class Count
        {
            [JsonProperty("id")] public string Id { get; set; }
            [JsonProperty("pk")] public string Pk { get; set; }
            [JsonProperty("count")] public int Value { get; set; }
        }

        public static bool IsMeant(string[] arguments) => arguments.Length == 3 && arguments[0] == Mode;

        /// <summary>Arguments: DATABASE CONTAINER, behind the mode.</summary>
        public static async Task Run(string[] arguments)
        {
            Container container = Account.Client.GetContainer(arguments[1], arguments[2]);
            bool isOver = false;
            List<Ledger> ledgers = Enumerable.Range(0, Writers).Select(writer => new Ledger(writer, container)).ToList();
            List<Task> work = ledgers.Select(ledger => Task.Run(() => ledger.Live(() => isOver))).ToList();
            while (await Console.In.ReadLineAsync() != null)
            {
            }
            isOver = true;
            await Task.WhenAll(work);
            Say($"end {ledgers.Sum(ledger => ledger.acknowledged.Count)}");
        }

        private static void Say(string line)
        {
            lock (Mode) Console.WriteLine(line);
        }

        private void Wrong(string what)
        {
            string line = what.Replace('\r', ' ').Replace('\n', ' ');
            Say($"wrong {writer} {line.Substring(0, Math.Min(line.Length, MessageLengthMax))}");
        }

        private async Task Live(Func<bool> isOver)
        {
            try
            {
                while (!isOver()) await Work();
                await ReadAllAgain();
            }
            catch (Exception defect)
            {
                Wrong($"the program ended with {defect}");
            }
        }

        private async Task Work()
        {
            await Create();
            await Increment();
            if (acknowledged.Count > 0) await Read(acknowledged[random.Next(acknowledged.Count)]);
            await Task.Delay(Pause);
        }

        private async Task ReadAllAgain()
        {
            foreach (int n in acknowledged)
            {
                int tries = 1;
                while (await Read(n) == Outcome.Unknown)
                {
                    if (++tries > FinalTries)
                    {
                        Wrong($"{Id(n)} cannot be read");
                        return;
                    }
                    await Task.Delay(Pause);
                }
            }
            await FindCounter();
        }

        private async Task<Outcome> Attempt(HttpStatusCode refusal, Func<Task> operation)
        {
            try
            {
                await operation();
            }
            catch (CosmosException failure) when (failure.StatusCode == refusal)
            {
                Say($"ok {writer}");
                return Outcome.Refused;
            }
            catch (CosmosException failure) when (IsFailure(failure.StatusCode))
            {
                Say($"failed {writer} {(int)failure.StatusCode}/{failure.SubStatusCode}");
                return Outcome.Unknown;
            }
            catch (CosmosException failure)
            {
                Wrong($"status {(int)failure.StatusCode}/{failure.SubStatusCode}: {failure.Message}");
                return Outcome.Unknown;
            }
            catch (Exception failure) when (failure is HttpRequestException || failure is OperationCanceledException)
            {
                Say($"failed {writer} {failure.GetType().Name}");
                return Outcome.Unknown;
            }
            Say($"ok {writer}");
            return Outcome.Done;
        }

        /// <summary>A time-out, a partition that cannot be reached, nobody there.</summary>
        private static bool IsFailure(HttpStatusCode status) =>
            status == HttpStatusCode.RequestTimeout || status == HttpStatusCode.Gone || status == HttpStatusCode.ServiceUnavailable;

        private string Id(int n) => $"w{writer}-{n}";

        private static string Key(int n) => $"key {n % Keys}";

        private async Task Create()
        {
            int n = written++;
            var item = new Thing { Id = Id(n), Pk = Key(n), N = n };
            // An id that was never sent before can only be taken if this very write was sent twice: it is there, then.
            Outcome outcome = await Attempt(HttpStatusCode.Conflict, () => container.CreateItemAsync(item, new PartitionKey(item.Pk)));
            if (outcome != Outcome.Unknown) acknowledged.Add(n);
        }

        private async Task<Outcome> Read(int n)
        {
            Outcome outcome = await Attempt(HttpStatusCode.NotFound, async () =>
            {
                Thing found = await container.ReadItemAsync<Thing>(Id(n), new PartitionKey(Key(n)));
                if (found.N != n) Wrong($"{Id(n)} is {found.N}");
            });
            if (outcome == Outcome.Refused) Wrong($"{Id(n)} is lost");
            return outcome;
        }

        private Count CounterAt(int value) => new Count { Id = $"counter-{writer}", Pk = $"counter-{writer}", Value = value };

        private async Task FindCounter()
        {
            Count counter = CounterAt(0);
            Outcome outcome = await Attempt(HttpStatusCode.NotFound, async () =>
            {
                ItemResponse<Count> response = await container.ReadItemAsync<Count>(counter.Id, new PartitionKey(counter.Pk));
                int value = response.Resource.Value;
                if (value < least || value > most) Wrong($"the counter is {value}, not from {least} to {most}");
                etag = response.ETag;
                least = value;
            });
            if (outcome != Outcome.Refused) return;
            if (least > 0) Wrong("the counter is lost");
            await Attempt(HttpStatusCode.Conflict, () => container.CreateItemAsync(counter, new PartitionKey(counter.Pk)));
        }

        /// <summary>On condition that it is as it was read: an increment that comes late cannot undo what came after.</summary>
        private async Task Increment()
        {
            if (etag == null)
            {
                await FindCounter();
                return;
            }
            var options = new ItemRequestOptions { IfMatchEtag = etag };
            most = least + 1;
            etag = null;
            await Attempt(HttpStatusCode.PreconditionFailed, async () =>
            {
                Count counter = CounterAt(most);
                etag = (await container.ReplaceItemAsync(counter, counter.Id, new PartitionKey(counter.Pk), options)).ETag;
                least = most;
            });
        }
    }
}
