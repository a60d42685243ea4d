using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;

namespace Conformance
{
    public static class Feeds
    {
        /// <summary>All rows, page by page.</summary>
        public static async Task<List<T>> All<T>(this FeedIterator<T> pages)
        {
            var rows = new List<T>();
            using (pages)
            {
                while (pages.HasMoreResults) rows.AddRange(await pages.ReadNextAsync());
            }
            return rows;
        }

        public static Task<List<T>> Query<T>(this Container container, string query, QueryRequestOptions options = null) =>
            container.GetItemQueryIterator<T>(query, requestOptions: options).All();

        public static async Task<List<T>> Query<T>(
            this Container container, string query, params (string Name, object Value)[] parameters)
        {
            var definition = new QueryDefinition(query);
            foreach ((string name, object value) in parameters) definition.WithParameter(name, value);
            return await container.GetItemQueryIterator<T>(definition).All();
        }
    }
}
