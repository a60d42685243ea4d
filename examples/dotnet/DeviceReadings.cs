// Readings of devices in a container partitioned by device: created, read, updated, queried, summed up by a stored
// procedure, deleted. Arguments, all with defaults: ENDPOINT KEY SCRIPTS (a folder) DATABASE MODE (Direct or Gateway).

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Azure.Cosmos;
using Microsoft.Azure.Cosmos.Linq;
using Microsoft.Azure.Cosmos.Scripts;
using Newtonsoft.Json.Linq;

public static class DeviceReadings
{
    // The key that a server accepts if it was given none; it is no secret.
    private const string WellKnownKey =
        "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

    public static async Task Main(string[] arguments)
    {
        string Argument(int place, string otherwise) => arguments.Length > place ? arguments[place] : otherwise;
        var options = new CosmosClientOptions { ConnectionMode = Enum.Parse<ConnectionMode>(Argument(4, "Direct")) };
        using (var client = new CosmosClient(Argument(0, "https://localhost:8081/"), Argument(1, WellKnownKey), options))
        {
            Database database = await client.CreateDatabaseAsync(Argument(3, "devices"));
            try
            {
                Container container = await database.CreateContainerAsync("readings", "/deviceId", throughput: 20000);
                await CreateReadUpdateAndDelete(container);
                await Fill(container);
                await QueryOneDevice(container);
                await QueryAllDevices(container);
                await SetLatestState(container, Argument(2, "../scripts"));
            }
            finally
            {
                await database.DeleteAsync();
            }
        }
    }

    private static async Task CreateReadUpdateAndDelete(Container container)
    {
        // The partition key, XMS-0001, is taken from the document, since the container says where it is.
        await container.CreateItemAsync(new DeviceReading
        {
            Id = "XMS-001-FE24C",
            DeviceId = "XMS-0001",
            MetricType = "Temperature",
            MetricValue = 105.00,
            Unit = "Fahrenheit",
            ReadingTime = DateTime.UtcNow,
        });

        // A read needs the partition key and the id.
        ItemResponse<DeviceReading> read = await container.ReadItemAsync<DeviceReading>("XMS-001-FE24C", new PartitionKey("XMS-0001"));
        DeviceReading reading = read;
        Console.WriteLine($"{reading.Id} measured {reading.MetricValue} degrees {reading.Unit}, read for {read.RequestCharge} RU");

        reading.MetricValue = 104;
        reading.ReadingTime = DateTime.UtcNow;
        reading = await container.ReplaceItemAsync(reading, reading.Id);
        Console.WriteLine($"{reading.Id} is corrected to {reading.MetricValue}");

        await container.DeleteItemAsync<DeviceReading>(reading.Id, new PartitionKey(reading.DeviceId));
    }

    private static async Task Fill(Container container)
    {
        var start = new DateTime(2024, 5, 1, 0, 0, 0, DateTimeKind.Utc);
        IEnumerable<DeviceReading> readings =
            from device in Enumerable.Range(1, 20)
            from hour in Enumerable.Range(0, 6)
            select new DeviceReading
            {
                Id = $"XMS-{device:000}-{hour}",
                DeviceId = $"XMS-{device:0000}",
                MetricType = hour % 2 == 0 ? "Temperature" : "Humidity",
                Unit = hour % 2 == 0 ? "Fahrenheit" : "Percent",
                MetricValue = 80 + device + hour,
                ReadingTime = start.AddHours(hour),
            };
        await Task.WhenAll(readings.Select(reading => container.CreateItemAsync(reading)));
    }

    // The filter names the partition key: one partition answers.
    private static async Task QueryOneDevice(Container container)
    {
        IQueryable<DeviceReading> query = container.GetItemLinqQueryable<DeviceReading>()
            .Where(m => m.MetricType == "Temperature" && m.DeviceId == "XMS-0001");
        Console.WriteLine($"XMS-0001 has {(await All(query)).Count} temperatures");
    }

    // The filter does not name it: all partitions are asked, ten at once and no more than a hundred rows ahead.
    private static async Task QueryAllDevices(Container container)
    {
        var options = new QueryRequestOptions { MaxConcurrency = 10, MaxBufferedItemCount = 100 };
        IQueryable<DeviceReading> hot = container.GetItemLinqQueryable<DeviceReading>(requestOptions: options)
            .Where(m => m.MetricType == "Temperature" && m.MetricValue > 100);
        Console.WriteLine($"{(await All(hot)).Count} temperatures are above 100");

        List<DeviceReading> sorted = await All(hot.OrderBy(m => m.MetricValue));
        Console.WriteLine($"in order, from {sorted.First().MetricValue} to {sorted.Last().MetricValue}");
    }

    private static async Task<List<T>> All<T>(IQueryable<T> query)
    {
        var rows = new List<T>();
        using (FeedIterator<T> pages = query.ToFeedIterator())
        {
            while (pages.HasMoreResults) rows.AddRange(await pages.ReadNextAsync());
        }
        return rows;
    }

    // Runs as one transaction beside the documents of one device.
    private static async Task SetLatestState(Container container, string scripts)
    {
        string body = File.ReadAllText(Path.Combine(scripts, "setLatestStateAcrossReadings.js"));
        await container.Scripts.CreateStoredProcedureAsync(new StoredProcedureProperties("SetLatestStateAcrossReadings", body));
        var device = new PartitionKey("XMS-0001");
        IQueryable<DeviceReading> query = container.GetItemLinqQueryable<DeviceReading>().Where(m => m.DeviceId == "XMS-0001");
        foreach (DeviceReading reading in await All(query))
        {
            var told = new
            {
                deviceId = reading.DeviceId,
                metricType = reading.MetricType,
                value = reading.MetricValue,
                time = reading.ReadingTime,
            };
            await container.Scripts.ExecuteStoredProcedureAsync<JObject>("SetLatestStateAcrossReadings", device, new dynamic[] { told });
        }
        JObject latest = await container.ReadItemAsync<JObject>("latest", device);
        foreach (JProperty metric in latest["metrics"].Children<JProperty>().OrderBy(metric => metric.Name))
        {
            Console.WriteLine($"the latest {metric.Name} of XMS-0001 is {metric.Value["value"]}");
        }
    }
}
