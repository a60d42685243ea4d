using System;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance
{
    /// <summary>Its cases take long: they start first, so that the others run beside them.</summary>
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class LongAttribute : Attribute
    {
    }

    /// <summary>A case cannot run on this account, and why.</summary>
    public sealed class SkippedException : Exception
    {
        public SkippedException(string reason) : base(reason)
        {
        }
    }

    /// <summary>Cases about one subject, which share a database. It goes away when the last of them has ended.</summary>
    public abstract class Cases
    {
        private readonly Lazy<Task<Database>> database;

        protected Cases() => database = new Lazy<Task<Database>>(
            async () => (await Account.Client.CreateDatabaseAsync(Account.UniqueId("conformance-net"))).Database);

        protected Task<Database> Database => database.Value;

        protected Task<Container> NewContainer(string partitionKeyPath = "/pk", int? throughput = null) =>
            NewContainer(new ContainerProperties(Account.UniqueId("c"), partitionKeyPath), throughput);

        protected async Task<Container> NewContainer(ContainerProperties properties, int? throughput = null) =>
            (await (await Database).CreateContainerAsync(properties, throughput)).Container;

        /// <summary>A container over several physical partitions, since each has at most 10,000 RU/s.</summary>
        protected Task<Container> NewWideContainer() => NewContainer("/pk", 25000);

        public async Task End()
        {
            if (database.IsValueCreated && database.Value.IsCompletedSuccessfully) await (await database.Value).DeleteAsync();
        }
    }
}
