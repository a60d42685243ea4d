package conformance

import (
	"encoding/json"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func TestAnItemIsCreatedAndRead(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	nested := map[string]any{"list": []any{1.0, 2.5, nil, true, "é鱀"}}
	created := create(t, container, text("x"), document{"id": "a", "pk": "x", "nested": nested})
	found, err := container.ReadItem(ctx, text("x"), "a", nil)
	must(t, err)
	item := decode(t, found.Value)
	equal(t, reflect.DeepEqual(item, created), true)
	equal(t, reflect.DeepEqual(item["nested"], any(nested)), true)
	equal(t, string(found.ETag), item.text("_etag"))
	equal(t, item.text("_attachments"), "attachments/")
}

func TestEveryAnswerCarriesAChargeASessionTokenAndAnActivity(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	create(t, container, text("x"), document{"id": "a", "pk": "x"})
	found, err := container.ReadItem(ctx, text("x"), "a", nil)
	must(t, err)
	equal(t, found.RequestCharge > 0, true)
	equal(t, regexp.MustCompile(`^\d+:-?\d+#\d+`).MatchString(sessionToken(found)), true)
	equal(t, len(found.ActivityID), 36)
}

func TestWritesAnswerWithoutABodyUnlessAsked(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	created, err := container.CreateItem(ctx, text("x"), encode(t, document{"id": "a", "pk": "x"}), nil)
	must(t, err)
	equal(t, created.RawResponse.StatusCode, 201)
	equal(t, len(created.Value), 0)
	equal(t, created.ETag != "", true)
	equal(t, read(t, container, text("x"), "a").text("_etag"), string(created.ETag))
}

func TestAMissingItemIs404(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	_, err := container.ReadItem(ctx, text("x"), "missing", nil)
	fails(t, err, 404)
	_, err = container.ReplaceItem(ctx, text("x"), "missing", encode(t, document{"id": "missing", "pk": "x"}), nil)
	fails(t, err, 404)
	_, err = container.DeleteItem(ctx, text("x"), "missing", nil)
	fails(t, err, 404)
}

func TestAnIDIsUniqueWithinItsKeyNotBeyond(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	create(t, container, text("x"), document{"id": "same", "pk": "x"})
	_, err := container.CreateItem(ctx, text("x"), encode(t, document{"id": "same", "pk": "x"}), nil)
	fails(t, err, 409)
	create(t, container, text("y"), document{"id": "same", "pk": "y"})
	equal(t, read(t, container, text("x"), "same").text("pk"), "x")
	equal(t, read(t, container, text("y"), "same").text("pk"), "y")
}

func TestReplaceUpsertAndDelete(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	item := func(n int) []byte { return encode(t, document{"id": "a", "pk": "x", "n": n}) }
	first, err := container.UpsertItem(ctx, text("x"), item(1), nil)
	must(t, err)
	equal(t, first.RawResponse.StatusCode, 201)
	second, err := container.UpsertItem(ctx, text("x"), item(2), nil)
	must(t, err)
	equal(t, second.RawResponse.StatusCode, 200)
	third, err := container.ReplaceItem(ctx, text("x"), "a", item(3), nil)
	must(t, err)
	equal(t, third.RawResponse.StatusCode, 200)
	equal(t, first.ETag != second.ETag && second.ETag != third.ETag, true)
	equal(t, read(t, container, text("x"), "a").number("n"), 3)
	deleted, err := container.DeleteItem(ctx, text("x"), "a", nil)
	must(t, err)
	equal(t, deleted.RawResponse.StatusCode, 204)
	_, err = container.ReadItem(ctx, text("x"), "a", nil)
	fails(t, err, 404)
}

func TestAStaleEtagIs412(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	body := encode(t, document{"id": "a", "pk": "x"})
	first, err := container.CreateItem(ctx, text("x"), body, nil)
	must(t, err)
	second, err := container.ReplaceItem(ctx, text("x"), "a", body, nil)
	must(t, err)
	ifMatch := func(etag azcore.ETag) *azcosmos.ItemOptions { return &azcosmos.ItemOptions{IfMatchEtag: &etag} }
	_, err = container.ReplaceItem(ctx, text("x"), "a", body, ifMatch(first.ETag))
	fails(t, err, 412)
	_, err = container.UpsertItem(ctx, text("x"), body, ifMatch(first.ETag))
	fails(t, err, 412)
	_, err = container.DeleteItem(ctx, text("x"), "a", ifMatch(first.ETag))
	fails(t, err, 412)
	third, err := container.ReplaceItem(ctx, text("x"), "a", body, ifMatch(second.ETag))
	must(t, err)
	_, err = container.DeleteItem(ctx, text("x"), "a", ifMatch(third.ETag))
	must(t, err)
}

func TestAnUnchangedItemIs304(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	first := create(t, container, text("x"), document{"id": "a", "pk": "x"})
	current := withHeader("If-None-Match", first.text("_etag"))
	unchanged, err := container.ReadItem(current, text("x"), "a", nil)
	must(t, err)
	equal(t, unchanged.RawResponse.StatusCode, 304)
	equal(t, len(unchanged.Value), 0)
	_, err = container.ReplaceItem(ctx, text("x"), "a", encode(t, document{"id": "a", "pk": "x", "n": 2}), nil)
	must(t, err)
	changed, err := container.ReadItem(current, text("x"), "a", nil)
	must(t, err)
	equal(t, changed.RawResponse.StatusCode, 200)
	equal(t, decode(t, changed.Value).number("n"), 2)
}

func TestOfConcurrentReplacesWithOneEtagExactlyOneSucceeds(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	created, err := container.CreateItem(ctx, text("x"), encode(t, document{"id": "a", "pk": "x"}), nil)
	must(t, err)
	statuses := make([]int, 8)
	var writers sync.WaitGroup
	for n := range statuses {
		writers.Go(func() {
			body, _ := json.Marshal(document{"id": "a", "pk": "x", "n": n})
			options := &azcosmos.ItemOptions{IfMatchEtag: &created.ETag}
			if response, err := container.ReplaceItem(ctx, text("x"), "a", body, options); err != nil {
				statuses[n] = statusOf(err)
			} else {
				statuses[n] = response.RawResponse.StatusCode
			}
		})
	}
	writers.Wait()
	sort.Ints(statuses)
	equal(t, reflect.DeepEqual(statuses, []int{200, 412, 412, 412, 412, 412, 412, 412}), true)
}

func TestAnItemOver2MegabytesIs413(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	item := document{"id": "a", "pk": "x", "text": strings.Repeat("a", 2*1024*1024)}
	_, err := container.CreateItem(ctx, text("x"), encode(t, item), nil)
	fails(t, err, 413)
	item["text"] = strings.Repeat("a", 2*1024*1024-4096)
	create(t, container, text("x"), item)
	equal(t, read(t, container, text("x"), "a").text("text"), item.text("text"))
}

func TestAnItemWithoutAnIDOrWithBrokenJSONIsRefused(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	for _, body := range []string{`{"pk":"x"}`, `{"id":"a","pk":"x"`, `["a"]`, `{"id":7,"pk":"x"}`, ``} {
		_, err := container.CreateItem(ctx, text("x"), []byte(body), nil)
		fails(t, err, 400)
	}
}

func TestAwkwardIDsAreKept(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	x := text("x") // not the id itself: the SDK writes keys outside the basic plane as no JSON reader takes them
	for _, id := range []string{
		"with spaces inside", " leading space", "WithUnicode鱀", "combining e\u0301 and 😀",
		"WithAllowedSpecial,=.:~+-@()^${}[]!_Chars", `single'quote and double"quote`, "plus+plus++", "percent % alone",
		"100%", "question?mark", "semi;colon&ampersand=<tag>|pipe`tick", "docs", strings.Repeat("x", 255),
	} {
		t.Run(id[:min(len(id), 20)], func(t *testing.T) {
			equal(t, create(t, container, x, document{"id": id, "pk": "x"}).text("id"), id)
			equal(t, read(t, container, x, id).text("id"), id)
			_, err := container.ReplaceItem(ctx, x, id, encode(t, document{"id": id, "pk": "x", "n": 2}), nil)
			must(t, err)
			_, err = container.DeleteItem(ctx, x, id, nil)
			must(t, err)
			_, err = container.ReadItem(ctx, x, id, nil)
			fails(t, err, 404)
		})
	}
}

// As with the service, whose gateway spells such a path anew.
func TestAnIDWithANumberSignIsNotReachedByName(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	create(t, container, text("x"), document{"id": "number#sign", "pk": "x"})
	_, err := container.ReadItem(ctx, text("x"), "number#sign", nil)
	fails(t, err, 401)
	options := &azcosmos.ClientOptions{}
	options.PerCallPolicies = []policy.Policy{extendedFidelity{}}
	extended, err := newClientWith(t, key, options).NewContainer(database.ID(), container.ID())
	must(t, err)
	equal(t, read(t, extended, text("x"), "number#sign").text("id"), "number#sign")
}

func TestIDsThatCannotBeAddressedByNameAreStoredAllTheSame(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	for _, id := range []string{"a/b", `a\b`} {
		create(t, container, text("x"), document{"id": id, "pk": "x"})
		_, err := container.CreateItem(ctx, text("x"), encode(t, document{"id": id, "pk": "x"}), nil)
		fails(t, err, 409)
	}
}

func TestEmptyAndOverlongIDsAreRefused(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	for _, id := range []string{strings.Repeat("x", 1024), ""} {
		_, err := container.CreateItem(ctx, text("x"), encode(t, document{"id": id, "pk": "x"}), nil)
		fails(t, err, 400)
	}
}
