package conformance

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

const queriedItemCount = 60

// spreadContainer makes 60 items, each under a key of its own, over five physical partitions, for a client with these policies.
func spreadContainer(t *testing.T, policies ...policy.Policy) *azcosmos.ContainerClient {
	t.Helper()
	_, database := newDatabase(t)
	properties := containerProperties(uniqueID("c"), "/pk")
	properties.IndexingPolicy = &azcosmos.IndexingPolicy{
		Automatic: true, IndexingMode: azcosmos.IndexingModeConsistent,
		IncludedPaths: []azcosmos.IncludedPath{{Path: "/*"}},
		CompositeIndexes: [][]azcosmos.CompositeIndex{{
			{Path: "/mod", Order: azcosmos.CompositeIndexDescending}, {Path: "/n", Order: azcosmos.CompositeIndexAscending}}},
	}
	_, err := database.CreateContainer(ctx, properties, createOptions(50000))
	must(t, err)
	options := &azcosmos.ClientOptions{}
	options.PerCallPolicies = policies
	container, err := newClientWith(t, key, options).NewContainer(database.ID(), properties.ID)
	must(t, err)
	for n := range queriedItemCount {
		item := document{"id": fmt.Sprintf("item-%02d", n), "pk": fmt.Sprint(n), "n": n, "mod": n % 7,
			"tags": []string{fmt.Sprintf("t%d", n%3), fmt.Sprintf("u%d", n%4)}, "nested": document{"half": float64(n) / 2}}
		create(t, container, text(fmt.Sprint(n)), item)
	}
	return container
}

// rowsOf gives all rows over all partitions as JSON texts, and the tokens between the pages.
func rowsOf(t *testing.T, container *azcosmos.ContainerClient, query string, options *azcosmos.QueryOptions) (rows, tokens []string) {
	t.Helper()
	pager := container.NewQueryItemsPager(query, azcosmos.NewPartitionKey(), options)
	for pager.More() {
		page, err := pager.NextPage(ctx)
		must(t, err)
		for _, row := range page.Items {
			rows = append(rows, string(row))
		}
		if page.ContinuationToken != nil {
			tokens = append(tokens, *page.ContinuationToken)
		}
	}
	return rows, tokens
}

// numbersWhere gives the numbers of the items that are wanted, as JSON texts in order.
func numbersWhere(wanted func(n int) bool) (rows []string) {
	for n := range queriedItemCount {
		if wanted(n) {
			rows = append(rows, fmt.Sprint(n))
		}
	}
	return rows
}

func TestQueriesMergePartitions(t *testing.T) {
	container := spreadContainer(t, extendedFidelity{})
	all := numbersWhere(func(int) bool { return true })
	for query, expected := range map[string][]string{
		"SELECT VALUE c.n FROM c ORDER BY c.n":                                                              all,
		"SELECT VALUE c.n FROM c ORDER BY c.nested.half":                                                    all,
		"SELECT TOP 3 VALUE c.n FROM c ORDER BY c.n DESC":                                                   {"59", "58", "57"},
		"SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 10 LIMIT 7":                                            all[10:17],
		"SELECT VALUE COUNT(1) FROM c":                                                                      {"60"},
		"SELECT VALUE SUM(c.n) FROM c":                                                                      {"1770"},
		"SELECT VALUE AVG(c.n) FROM c":                                                                      {"29.5"},
		"SELECT VALUE MIN(c.n) FROM c":                                                                      {"0"},
		"SELECT VALUE MAX(c.id) FROM c":                                                                     {`"item-59"`},
		"SELECT DISTINCT VALUE c.mod FROM c ORDER BY c.mod":                                                 {"0", "1", "2", "3", "4", "5", "6"},
		"SELECT VALUE c.n FROM c JOIN t IN c.tags WHERE t = 't1' ORDER BY c.n":                              numbersWhere(func(n int) bool { return n%3 == 1 }),
		"SELECT VALUE c.n FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'u2') ORDER BY c.n": numbersWhere(func(n int) bool { return n%4 == 2 }),
	} {
		for _, size := range []int32{1000, 3} {
			rows, _ := rowsOf(t, container, query, &azcosmos.QueryOptions{PageSizeHint: size})
			if !reflect.DeepEqual(rows, expected) {
				t.Errorf("%s in pages of %d: got %v, want %v", query, size, rows, expected)
			}
		}
	}
}

// The SDK merges nothing, so a program that works here works with the service.
func TestQueriesThatNeedMergingAreRefused(t *testing.T) {
	container := spreadContainer(t)
	for _, query := range []string{"SELECT VALUE c.n FROM c ORDER BY c.n", "SELECT VALUE COUNT(1) FROM c", "SELECT TOP 1 * FROM c"} {
		_, err := container.NewQueryItemsPager(query, azcosmos.NewPartitionKey(), nil).NextPage(ctx)
		equal(t, statusOf(err), 400)
	}
	rows, _ := rowsOf(t, container, "SELECT VALUE c.n FROM c WHERE c.mod = 3", nil)
	equal(t, len(rows), 9)
}

func TestQueriesGroupOverPartitions(t *testing.T) {
	rows, _ := rowsOf(t, spreadContainer(t, extendedFidelity{}), "SELECT c.mod, COUNT(1) AS count FROM c GROUP BY c.mod", nil)
	var counts []string
	for _, row := range rows {
		var group struct{ Mod, Count int }
		must(t, json.Unmarshal([]byte(row), &group))
		counts = append(counts, fmt.Sprintf("%d:%d", group.Mod, group.Count))
	}
	sort.Strings(counts)
	equal(t, reflect.DeepEqual(counts, []string{"0:9", "1:9", "2:9", "3:9", "4:8", "5:8", "6:8"}), true)
}

func TestQueriesTakeParameters(t *testing.T) {
	query := "SELECT VALUE c.n FROM c WHERE c.n >= @least AND ARRAY_CONTAINS(@mods, c.mod) ORDER BY c.n"
	options := &azcosmos.QueryOptions{QueryParameters: []azcosmos.QueryParameter{
		{Name: "@least", Value: 20}, {Name: "@mods", Value: []int{1, 5}}}}
	rows, _ := rowsOf(t, spreadContainer(t, extendedFidelity{}), query, options)
	expected := numbersWhere(func(n int) bool { return n >= 20 && (n%7 == 1 || n%7 == 5) })
	equal(t, reflect.DeepEqual(rows, expected), true)
}

func TestAnOrderIsResumedFromEveryToken(t *testing.T) {
	container := spreadContainer(t, extendedFidelity{})
	query := "SELECT VALUE c.n FROM c ORDER BY c.mod DESC, c.n"
	whole, tokens := rowsOf(t, container, query, &azcosmos.QueryOptions{PageSizeHint: 7})
	equal(t, len(whole), queriedItemCount)
	for page, token := range tokens {
		rest, _ := rowsOf(t, container, query, &azcosmos.QueryOptions{PageSizeHint: 11, ContinuationToken: &token})
		equal(t, reflect.DeepEqual(rest, whole[7*(page+1):]), true)
	}
}
