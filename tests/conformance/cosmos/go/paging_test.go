package conformance

import (
	"fmt"
	"reflect"
	"sort"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

const itemCount = 25

// pagesOf reads all items of one key, or of the container when the key is empty, as the ids on each page.
func pagesOf(t *testing.T, container *azcosmos.ContainerClient, pk azcosmos.PartitionKey, options *azcosmos.QueryOptions) (pages [][]string, tokens []string) {
	t.Helper()
	pager := container.NewQueryItemsPager("SELECT * FROM c", pk, options)
	for pager.More() {
		page, err := pager.NextPage(ctx)
		must(t, err)
		ids := []string{}
		for _, item := range page.Items {
			ids = append(ids, decode(t, item).text("id"))
		}
		pages = append(pages, ids)
		if page.ContinuationToken != nil {
			tokens = append(tokens, *page.ContinuationToken)
		}
	}
	return pages, tokens
}

func itemIDs() (ids []string) {
	for n := range itemCount {
		ids = append(ids, fmt.Sprintf("item-%02d", n))
	}
	return ids
}

func TestOneKeyIsReadInInsertionOrderInFullPagesAndResumed(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	ids := itemIDs()
	for _, id := range ids {
		create(t, container, text("x"), document{"id": id, "pk": "x"})
	}
	pages, tokens := pagesOf(t, container, text("x"), &azcosmos.QueryOptions{PageSizeHint: 10})
	equal(t, reflect.DeepEqual(pages, [][]string{ids[:10], ids[10:20], ids[20:]}), true)
	equal(t, len(tokens), 2)
	rest, _ := pagesOf(t, container, text("x"), &azcosmos.QueryOptions{PageSizeHint: 100, ContinuationToken: &tokens[0]})
	equal(t, reflect.DeepEqual(rest, [][]string{ids[10:]}), true)
}

func TestAllKeysAreReadOverThreePhysicalPartitions(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 25000, "/pk")
	ids := itemIDs()
	for _, id := range ids {
		create(t, container, text(id), document{"id": id, "pk": id})
	}
	pages, _ := pagesOf(t, container, azcosmos.NewPartitionKey(), &azcosmos.QueryOptions{PageSizeHint: 4})
	var seen []string
	for _, page := range pages {
		equal(t, len(page) <= 4, true)
		seen = append(seen, page...)
	}
	sort.Strings(seen)
	equal(t, reflect.DeepEqual(seen, ids), true)
}
