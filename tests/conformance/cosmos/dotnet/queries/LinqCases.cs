using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Microsoft.Azure.Cosmos.Linq;
using Newtonsoft.Json;

namespace Conformance.Queries
{
    /// <summary>Queries that the SDK's LINQ provider writes must find what LINQ finds in memory.</summary>
    public abstract class LinqCases : OrderCases
    {
        protected static string Text<T>(T row) => JsonConvert.SerializeObject(row);

        protected async Task<IQueryable<Order>> Queryable() => (await Filled).GetItemLinqQueryable<Order>();

        /// <summary>The same rows, in the same order if the query has one.</summary>
        protected async Task Same<T>(Func<IQueryable<Order>, IQueryable<T>> query, bool inOrder = false)
        {
            IQueryable<T> asked = query(await Queryable());
            List<string> found = (await asked.ToFeedIterator().All()).Select(Text).ToList();
            List<string> expected = query(Orders.All.AsQueryable()).AsEnumerable().Select(Text).ToList();
            Check.True(expected.Count > 0, $"a query that finds nothing proves nothing: {asked}");
            if (!inOrder)
            {
                found.Sort(StringComparer.Ordinal);
                expected.Sort(StringComparer.Ordinal);
            }
            Check.Equal(expected, found, $"{asked}:");
        }

        protected Task SameInOrder<T>(Func<IQueryable<Order>, IQueryable<T>> query) => Same(query, true);

        /// <summary>The same numbers but for the last digits.</summary>
        protected async Task Near(Func<IQueryable<Order>, IQueryable<double>> query)
        {
            IQueryable<double> asked = query(await Queryable());
            List<double> found = (await asked.ToFeedIterator().All()).OrderBy(n => n).ToList();
            List<double> expected = query(Orders.All.AsQueryable()).OrderBy(n => n).ToList();
            Check.Equal(expected.Count, found.Count, $"{asked}: rows");
            for (int i = 0; i < found.Count; i++) IsNear(expected[i], found[i], asked.ToString());
        }

        protected static void IsNear(double expected, double found, string what) =>
            Check.True(Math.Abs(expected - found) <= 1e-9 * (1 + Math.Abs(expected)), $"{what}: expected {expected}, got {found}");
    }
}
