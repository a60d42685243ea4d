package conformance

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func TestDatabaseIsCreatedAndRead(t *testing.T) {
	client := newClient(t, key)
	id := uniqueID("conformance-go")
	created, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: id}, nil)
	must(t, err)
	equal(t, created.RawResponse.StatusCode, 201)
	equal(t, created.RequestCharge > 0, true)
	database, err := client.NewDatabase(id)
	must(t, err)
	t.Cleanup(func() { _, _ = database.Delete(ctx, nil) })
	found, err := database.Read(ctx, nil)
	must(t, err)
	equal(t, found.RawResponse.StatusCode, 200)
	equal(t, found.DatabaseProperties.ID, id)
	equal(t, found.DatabaseProperties.SelfLink, "dbs/"+found.DatabaseProperties.ResourceID+"/")
	equal(t, found.ETag, *found.DatabaseProperties.ETag)
	rid, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(found.DatabaseProperties.ResourceID, "-", "/"))
	must(t, err)
	equal(t, len(rid), 4)
}

func TestCreatingADatabaseTwiceConflicts(t *testing.T) {
	client, database := newDatabase(t)
	_, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: database.ID()}, nil)
	fails(t, err, 409)
}

func TestADeletedDatabaseIsGone(t *testing.T) {
	_, database := newDatabase(t)
	deleted, err := database.Delete(ctx, nil)
	must(t, err)
	equal(t, deleted.RawResponse.StatusCode, 204)
	_, err = database.Read(ctx, nil)
	fails(t, err, 404)
	_, err = database.Delete(ctx, nil)
	fails(t, err, 404)
}

func TestDatabasesAreListedOnePerPage(t *testing.T) {
	client, first := newDatabase(t)
	_, second := newDatabase(t)
	pager := client.NewQueryDatabasesPager("SELECT * FROM root", nil)
	seen := map[string]int{}
	for pager.More() {
		page, err := pager.NextPage(withHeader("x-ms-max-item-count", "1"))
		must(t, err)
		equal(t, len(page.Databases) <= 1, true)
		for _, database := range page.Databases {
			seen[database.ID]++
		}
	}
	equal(t, seen[first.ID()], 1)
	equal(t, seen[second.ID()], 1)
}

func TestADatabaseSharesItsThroughput(t *testing.T) {
	client := newClient(t, key)
	id := uniqueID("conformance-go")
	properties := azcosmos.NewManualThroughputProperties(800)
	options := &azcosmos.CreateDatabaseOptions{ThroughputProperties: &properties}
	_, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: id}, options)
	must(t, err)
	database, err := client.NewDatabase(id)
	must(t, err)
	t.Cleanup(func() { _, _ = database.Delete(ctx, nil) })
	response, err := database.ReadThroughput(ctx, nil)
	must(t, err)
	throughput, manual := response.ThroughputProperties.ManualThroughput()
	equal(t, manual, true)
	equal(t, throughput, int32(800))
}

func TestAWrongKeyIs401(t *testing.T) {
	wrong := base64.StdEncoding.EncodeToString([]byte("not the key of this account"))
	database, err := newClient(t, wrong).NewDatabase("any")
	must(t, err)
	_, err = database.Read(ctx, nil)
	fails(t, err, 401)
}
