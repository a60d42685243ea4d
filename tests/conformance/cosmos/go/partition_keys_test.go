package conformance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// exercise creates, reads, replaces, upserts and deletes one item by its full primary key.
func exercise(t *testing.T, container *azcosmos.ContainerClient, pk azcosmos.PartitionKey, item document) {
	t.Helper()
	id := item.text("id")
	with := func(step string) document {
		changed := document{"step": step}
		for name, value := range item {
			changed[name] = value
		}
		return changed
	}
	create(t, container, pk, with("created"))
	equal(t, read(t, container, pk, id).text("step"), "created")
	_, err := container.ReplaceItem(ctx, pk, id, encode(t, with("replaced")), nil)
	must(t, err)
	equal(t, read(t, container, pk, id).text("step"), "replaced")
	upserted, err := container.UpsertItem(ctx, pk, encode(t, with("upserted")), nil)
	must(t, err)
	equal(t, upserted.RawResponse.StatusCode, 200)
	equal(t, read(t, container, pk, id).text("step"), "upserted")
	_, err = container.DeleteItem(ctx, pk, id, nil)
	must(t, err)
	_, err = container.ReadItem(ctx, pk, id, nil)
	fails(t, err, 404)
}

func TestItemsAreStoredByTheirKey(t *testing.T) {
	_, database := newDatabase(t)
	long := strings.Repeat("k", 1500)
	hierarchy := azcosmos.NewPartitionKeyString("t").AppendNumber(7)
	for _, shape := range []struct {
		name  string
		paths []string
		item  document
		key   azcosmos.PartitionKey
	}{
		{"property", []string{"/department"}, document{"department": "Sales"}, text("Sales")},
		{"nested", []string{"/properties/name"}, document{"properties": document{"name": "n"}}, text("n")},
		{"quoted", []string{`/"department name"`}, document{"department name": "R&D"}, text("R&D")},
		{"id", []string{"/id"}, document{}, text("a")},
		{"number", []string{"/pk"}, document{"pk": 42.5}, azcosmos.NewPartitionKeyNumber(42.5)},
		{"boolean", []string{"/pk"}, document{"pk": true}, azcosmos.NewPartitionKeyBool(true)},
		{"null", []string{"/pk"}, document{"pk": nil}, azcosmos.NewPartitionKey().AppendNull()},
		{"unicode", []string{"/pk"}, document{"pk": "é鱀"}, text("é鱀")},
		{"long", []string{"/pk"}, document{"pk": long}, text(long)},
		{"two levels", []string{"/tenant", "/user"}, document{"tenant": "t", "user": 7}, hierarchy},
		{"three levels", []string{"/a", "/b", "/c"}, document{"a": "1", "b": "2", "c": "3"},
			text("1").AppendString("2").AppendString("3")},
	} {
		t.Run(shape.name, func(t *testing.T) {
			shape.item["id"] = "a"
			exercise(t, newContainer(t, database, 0, shape.paths...), shape.key, shape.item)
		})
	}
}

func TestManyKeysOverThreePhysicalPartitionsAreFoundAgain(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 25000, "/pk")
	partitions := map[string]bool{}
	for n := range 60 {
		pk := fmt.Sprintf("key-%d", n)
		response, err := container.CreateItem(ctx, text(pk), encode(t, document{"id": "a", "pk": pk}), nil)
		must(t, err)
		partition, _, _ := strings.Cut(sessionToken(response), ":")
		partitions[partition] = true
	}
	equal(t, len(partitions), 3)
	for n := range 60 {
		pk := fmt.Sprintf("key-%d", n)
		equal(t, read(t, container, text(pk), "a").text("pk"), pk)
	}
}

func TestAnotherKeyDoesNotFindTheItem(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	create(t, container, text("1"), document{"id": "a", "pk": "1"})
	for _, wrong := range []azcosmos.PartitionKey{text("wrong"), azcosmos.NewPartitionKeyNumber(1)} {
		_, err := container.ReadItem(ctx, wrong, "a", nil)
		fails(t, err, 404)
		_, err = container.DeleteItem(ctx, wrong, "a", nil)
		fails(t, err, 404)
	}
}

func TestAKeyThatIsNotTheBodysIs400WithSubstatus1001(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	body := encode(t, document{"id": "a", "pk": "body"})
	_, err := container.CreateItem(ctx, text("header"), body, nil)
	failsWith(t, err, 400, 1001)
	_, err = container.UpsertItem(ctx, text("header"), body, nil)
	failsWith(t, err, 400, 1001)
	_, err = container.ReadItem(ctx, text("body"), "a", nil)
	fails(t, err, 404)
}

func TestReplaceCannotMoveAnItemToAnotherKey(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	create(t, container, text("x"), document{"id": "a", "pk": "x"})
	_, err := container.ReplaceItem(ctx, text("x"), "a", encode(t, document{"id": "a", "pk": "y"}), nil)
	fails(t, err, 400)
}

func TestAPointReadWithoutAKeyIsRefused(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	create(t, container, text("x"), document{"id": "a", "pk": "x"})
	_, err := container.ReadItem(ctx, azcosmos.NewPartitionKey(), "a", nil)
	fails(t, err, 400)
}

func TestSinglePartitionContainersStoreItemsByIDAlone(t *testing.T) {
	_, database := newDatabase(t)
	link := "dbs/" + database.ID()
	equal(t, post(t, "colls", link, "/"+link+"/colls", "2018-06-18", document{"id": "single"}), 201)
	container, err := database.NewContainer("single")
	must(t, err)
	definition, err := container.Read(ctx, nil)
	must(t, err)
	paths := definition.ContainerProperties.PartitionKeyDefinition.Paths
	equal(t, slices.Equal(paths, []string{"/_partitionKey"}), true)

	// The SDK has no value for "no key", so the header that other SDKs send for it is given by hand.
	none := withHeader("x-ms-documentdb-partitionkey", "[]")
	body := encode(t, document{"id": "a", "pk": "ignored", "n": 1})
	_, err = container.CreateItem(none, azcosmos.NewPartitionKey(), body, nil)
	must(t, err)
	_, err = container.CreateItem(none, azcosmos.NewPartitionKey(), encode(t, document{"id": "a", "pk": "other"}), nil)
	fails(t, err, 409)
	found, err := container.ReadItem(none, azcosmos.NewPartitionKey(), "a", nil)
	must(t, err)
	equal(t, decode(t, found.Value).number("n"), 1)
	_, err = container.ReplaceItem(none, azcosmos.NewPartitionKey(), "a", body, nil)
	must(t, err)
	_, err = container.DeleteItem(none, azcosmos.NewPartitionKey(), "a", nil)
	must(t, err)
	_, err = container.ReadItem(none, azcosmos.NewPartitionKey(), "a", nil)
	fails(t, err, 404)
}
