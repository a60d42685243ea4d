using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance.Consistency
{
    /// <summary>
    /// One client counts up documents, another reads them meanwhile. Where reads are by a quorum, replicas that were asked in
    /// different moments differ, and the client asks them how far they are (a barrier) before it believes what it has read.
    /// </summary>
    public sealed class WritersAndReaders
    {
        private const int Writers = 3;
        private const int Rounds = 25;
        private const int RoundsMax = 5000;
        private const string Quiet = "quiet";
        private static readonly PartitionKey X = new PartitionKey("x");

        private readonly LeveledAccount account;
        private readonly Container written;
        private readonly Container read;
        private readonly Acknowledged[] newest = new Acknowledged[Writers];
        private bool isOver;
        private int barriers;

        private sealed class Acknowledged
        {
            public int N;
            public string Session;
        }

        public WritersAndReaders(LeveledAccount account, Container written, Container read)
        {
            this.account = account;
            this.written = written;
            this.read = read;
        }

        public async Task Run()
        {
            await written.CreateItemAsync(new Thing { Id = Quiet, Pk = "x" }, X);
            for (int writer = 0; writer < Writers; writer++) await Write(writer, 0);
            List<Task> writing = Enumerable.Range(0, Writers).Select(KeepWriting).ToList();
            try
            {
                for (int round = 0; round < Rounds || (account.IsReadByQuorum && barriers == 0); round++)
                {
                    Check.True(round < RoundsMax, $"in {RoundsMax} rounds there was no barrier");
                    for (int writer = 0; writer < Writers; writer++) await ReadOne(writer);
                    await ReadQuiet();
                    await Query();
                }
            }
            finally
            {
                Volatile.Write(ref isOver, true);
                await Task.WhenAll(writing);
            }
            if (!account.IsReadByQuorum) Check.Equal(0, barriers, "barriers of reads that need no quorum:");
        }

        private static string Id(int writer) => $"w{writer}";

        private async Task KeepWriting(int writer)
        {
            for (int n = 1; !Volatile.Read(ref isOver); n++) await Write(writer, n);
        }

        private async Task Write(int writer, int n)
        {
            string session = (await written.UpsertItemAsync(new Thing { Id = Id(writer), Pk = "x", N = n }, X)).Headers.Session;
            Volatile.Write(ref newest[writer], new Acknowledged { N = n, Session = session });
        }

        /// <summary>Across clients a read is promised to be as new as this only by the strongest level, and to whoever has the session.</summary>
        private int Least(Acknowledged acknowledged) =>
            account.Level == ConsistencyLevel.Strong || account.Level == ConsistencyLevel.Session ? acknowledged.N : 0;

        private async Task ReadOne(int writer)
        {
            Acknowledged acknowledged = Volatile.Read(ref newest[writer]);
            var options = new ItemRequestOptions { SessionToken = SessionOf(acknowledged) };
            ItemResponse<Thing> found = await read.ReadItemAsync<Thing>(Id(writer), X, options);
            Check.True(found.Resource.N >= Least(acknowledged), $"{found.Resource.N} is read, {acknowledged.N} was acknowledged before");
            barriers += Barriers(found.Diagnostics);
        }

        /// <summary>The others' writes move the partition on, but the document's own position tells that it is the newest.</summary>
        private async Task ReadQuiet()
        {
            ItemResponse<Thing> found = await read.ReadItemAsync<Thing>(Quiet, X);
            Check.Equal(0, Barriers(found.Diagnostics), "barriers for a document that nobody writes:");
        }

        private async Task Query()
        {
            Acknowledged[] acknowledged = newest.Select((_, writer) => Volatile.Read(ref newest[writer])).ToArray();
            // The session of one partition: the latest token has what all writers were told.
            string session = SessionOf(acknowledged.OrderBy(one => long.Parse(one.Session.Split('#')[1])).Last());
            var options = new QueryRequestOptions { PartitionKey = X, SessionToken = session };
            using (FeedIterator<Thing> pages = read.GetItemQueryIterator<Thing>($"SELECT * FROM c WHERE c.id != '{Quiet}'", requestOptions: options))
            {
                var found = new Dictionary<string, int>();
                while (pages.HasMoreResults)
                {
                    FeedResponse<Thing> page = await pages.ReadNextAsync();
                    foreach (Thing thing in page) found[thing.Id] = thing.N;
                    barriers += Barriers(page.Diagnostics);
                }
                for (int writer = 0; writer < Writers; writer++)
                {
                    int n = found[Id(writer)];
                    Check.True(n >= Least(acknowledged[writer]), $"{n} is found, {acknowledged[writer].N} was acknowledged before");
                }
            }
        }

        private string SessionOf(Acknowledged acknowledged) => account.Level == ConsistencyLevel.Session ? acknowledged.Session : null;

        private static int Barriers(CosmosDiagnostics diagnostics) => Regex.Matches(diagnostics.ToString(), "\"OperationType\":\"Head\"").Count;
    }
}
