package conformance

import (
	"slices"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func TestAContainerHasTheDefaultIndexingPolicy(t *testing.T) {
	_, database := newDatabase(t)
	created, err := database.CreateContainer(ctx, containerProperties("c", "/pk"), nil)
	must(t, err)
	equal(t, created.RawResponse.StatusCode, 201)
	properties := created.ContainerProperties
	equal(t, slices.Equal(properties.PartitionKeyDefinition.Paths, []string{"/pk"}), true)
	equal(t, properties.PartitionKeyDefinition.Kind, azcosmos.PartitionKeyKindHash)
	equal(t, properties.PartitionKeyDefinition.Version, 2)
	equal(t, properties.IndexingPolicy.IndexingMode, "consistent")
	equal(t, properties.IndexingPolicy.Automatic, true)
	equal(t, slices.Equal(properties.IndexingPolicy.IncludedPaths, []azcosmos.IncludedPath{{Path: "/*"}}), true)
	equal(t, slices.Equal(properties.IndexingPolicy.ExcludedPaths, []azcosmos.ExcludedPath{{Path: `/"_etag"/?`}}), true)
}

func TestCreatingAContainerTwiceConflicts(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	_, err := database.CreateContainer(ctx, containerProperties(container.ID(), "/pk"), nil)
	fails(t, err, 409)
}

func TestMissingContainersAndDatabasesAreNotFound(t *testing.T) {
	client, database := newDatabase(t)
	missing, err := database.NewContainer("missing")
	must(t, err)
	_, err = missing.Read(ctx, nil)
	fails(t, err, 404)
	nowhere, err := client.NewDatabase(uniqueID("missing"))
	must(t, err)
	_, err = nowhere.CreateContainer(ctx, containerProperties("c", "/pk"), nil)
	fails(t, err, 404)
}

func TestADeletedContainerIsGoneWithItsItems(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	create(t, container, text("x"), document{"id": "a", "pk": "x"})
	deleted, err := container.Delete(ctx, nil)
	must(t, err)
	equal(t, deleted.RawResponse.StatusCode, 204)
	_, err = container.Read(ctx, nil)
	fails(t, err, 404)
	_, err = database.CreateContainer(ctx, containerProperties(container.ID(), "/pk"), nil)
	must(t, err)
	_, err = container.ReadItem(ctx, text("x"), "a", nil)
	fails(t, err, 404)
}

func TestContainersAreListedPageByPage(t *testing.T) {
	_, database := newDatabase(t)
	created := map[string]bool{}
	for range 5 {
		created[newContainer(t, database, 0, "/pk").ID()] = true
	}
	pager := database.NewQueryContainersPager("SELECT * FROM root", nil)
	var sizes []int
	for pager.More() {
		page, err := pager.NextPage(withHeader("x-ms-max-item-count", "2"))
		must(t, err)
		sizes = append(sizes, len(page.Containers))
		for _, container := range page.Containers {
			equal(t, created[container.ID], true)
			delete(created, container.ID)
		}
	}
	equal(t, len(created), 0)
	equal(t, len(sizes), 3)
}

func TestReplacingAContainerChangesItsTimeToLive(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	before, err := container.Read(ctx, nil)
	must(t, err)
	seconds := int32(3600)
	properties := *before.ContainerProperties
	properties.DefaultTimeToLive = &seconds
	after, err := container.Replace(ctx, properties, nil)
	must(t, err)
	equal(t, *after.ContainerProperties.DefaultTimeToLive, seconds)
	equal(t, after.ContainerProperties.ResourceID, before.ContainerProperties.ResourceID)
	equal(t, after.ETag != before.ETag, true)
}

func TestThePartitionKeyOfAContainerCannotBeChanged(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	_, err := container.Replace(ctx, containerProperties(container.ID(), "/other"), nil)
	fails(t, err, 400)
}

func TestThroughputIsReadAndReplaced(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 1000, "/pk")
	throughput := func() int32 {
		response, err := container.ReadThroughput(ctx, nil)
		must(t, err)
		value, manual := response.ThroughputProperties.ManualThroughput()
		equal(t, manual, true)
		return value
	}
	equal(t, throughput(), 1000)
	replaced, err := container.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(1200), nil)
	must(t, err)
	value, _ := replaced.ThroughputProperties.ManualThroughput()
	equal(t, value, 1200)
	equal(t, throughput(), 1200)
	for _, refused := range []int32{1250, 300} {
		_, err = container.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(refused), nil)
		fails(t, err, 400)
		_, err = database.CreateContainer(ctx, containerProperties(uniqueID("c"), "/pk"), createOptions(refused))
		fails(t, err, 400)
	}
	equal(t, throughput(), 1200)
}

func TestTheNumberOfPhysicalPartitionsFollowsTheThroughput(t *testing.T) {
	_, database := newDatabase(t)
	ranges, err := newContainer(t, database, 25000, "/pk").ReadFeedRanges(ctx, nil)
	must(t, err)
	equal(t, len(ranges), 3)
}
