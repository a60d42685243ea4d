// Package conformance judges a Cosmos DB account with the unmodified azcosmos SDK.
package conformance

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

const wellKnownKey = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="

var (
	endpoint = environment("PARTITA_ENDPOINT", "http://127.0.0.1:8081/")
	key      = environment("PARTITA_KEY", wellKnownKey)
	ctx      = context.Background()
)

// document is an item as the tests write and read it.
type document map[string]any

func (d document) text(name string) string {
	value, _ := d[name].(string)
	return value
}

func (d document) number(name string) float64 {
	value, _ := d[name].(float64)
	return value
}

func environment(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func uniqueID(prefix string) string {
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	return prefix + "-" + hex.EncodeToString(random)
}

func newClient(t *testing.T, accountKey string) *azcosmos.Client {
	t.Helper()
	return newClientWith(t, accountKey, nil)
}

func newClientWith(t *testing.T, accountKey string, options *azcosmos.ClientOptions) *azcosmos.Client {
	t.Helper()
	credential, err := azcosmos.NewKeyCredential(accountKey)
	must(t, err)
	client, err := azcosmos.NewClientWithKey(endpoint, credential, options)
	must(t, err)
	return client
}

// extendedFidelity asks for what the service refuses, of a server that can do more: it merges partitions, and reaches every id.
type extendedFidelity struct{}

func (extendedFidelity) Do(request *policy.Request) (*http.Response, error) {
	request.Raw().Header.Set("x-partita-fidelity", "extended")
	return request.Next()
}

// newDatabase makes a database that is deleted when the test is done.
func newDatabase(t *testing.T) (*azcosmos.Client, *azcosmos.DatabaseClient) {
	t.Helper()
	client := newClient(t, key)
	id := uniqueID("conformance-go")
	_, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: id}, nil)
	must(t, err)
	database, err := client.NewDatabase(id)
	must(t, err)
	t.Cleanup(func() {
		if _, err := database.Delete(ctx, nil); statusOf(err) != 404 {
			must(t, err)
		}
	})
	return client, database
}

// newContainer makes a container keyed by the paths, with the throughput unless that is zero.
func newContainer(t *testing.T, database *azcosmos.DatabaseClient, throughput int32, paths ...string) *azcosmos.ContainerClient {
	t.Helper()
	id := uniqueID("c")
	_, err := database.CreateContainer(ctx, containerProperties(id, paths...), createOptions(throughput))
	must(t, err)
	container, err := database.NewContainer(id)
	must(t, err)
	return container
}

func containerProperties(id string, paths ...string) azcosmos.ContainerProperties {
	definition := azcosmos.PartitionKeyDefinition{Paths: paths, Version: 2}
	return azcosmos.ContainerProperties{ID: id, PartitionKeyDefinition: definition}
}

func createOptions(throughput int32) *azcosmos.CreateContainerOptions {
	if throughput == 0 {
		return nil
	}
	properties := azcosmos.NewManualThroughputProperties(throughput)
	return &azcosmos.CreateContainerOptions{ThroughputProperties: &properties}
}

func text(value string) azcosmos.PartitionKey { return azcosmos.NewPartitionKeyString(value) }

func encode(t *testing.T, item document) []byte {
	t.Helper()
	body, err := json.Marshal(item)
	must(t, err)
	return body
}

func decode(t *testing.T, body []byte) document {
	t.Helper()
	var item document
	if err := json.Unmarshal(body, &item); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	return item
}

func create(t *testing.T, container *azcosmos.ContainerClient, pk azcosmos.PartitionKey, item document) document {
	t.Helper()
	options := &azcosmos.ItemOptions{EnableContentResponseOnWrite: true}
	response, err := container.CreateItem(ctx, pk, encode(t, item), options)
	must(t, err)
	equal(t, response.RawResponse.StatusCode, 201)
	return decode(t, response.Value)
}

func read(t *testing.T, container *azcosmos.ContainerClient, pk azcosmos.PartitionKey, id string) document {
	t.Helper()
	response, err := container.ReadItem(ctx, pk, id, nil)
	must(t, err)
	return decode(t, response.Value)
}

func sessionToken(response azcosmos.ItemResponse) string {
	if response.SessionToken == nil {
		return ""
	}
	return *response.SessionToken
}

// withHeader gives a context whose requests carry the header, for what the SDK itself would not send.
func withHeader(name, value string) context.Context {
	return policy.WithHTTPHeader(ctx, http.Header{name: []string{value}})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func statusOf(err error) int {
	var failure *azcore.ResponseError
	if errors.As(err, &failure) {
		return failure.StatusCode
	}
	return 0
}

func fails(t *testing.T, err error, status int) {
	t.Helper()
	if err == nil {
		t.Fatalf("expected %d, but it succeeded", status)
	}
	if statusOf(err) != status {
		t.Fatalf("expected %d, got %v", status, err)
	}
}

func failsWith(t *testing.T, err error, status, substatus int) {
	t.Helper()
	fails(t, err, status)
	var failure *azcore.ResponseError
	errors.As(err, &failure)
	equal(t, failure.RawResponse.Header.Get("x-ms-substatus"), strconv.Itoa(substatus))
}

// post sends one request signed by hand, with an API version the SDK no longer speaks.
func post(t *testing.T, resourceType, link, path, version string, body document) int {
	t.Helper()
	date := time.Now().UTC().Format(http.TimeFormat)
	secret, err := base64.StdEncoding.DecodeString(key)
	must(t, err)
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "post\n%s\n%s\n%s\n\n", resourceType, link, strings.ToLower(date))
	token := "type=master&ver=1.0&sig=" + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	address := strings.TrimSuffix(endpoint, "/") + path
	request, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(encode(t, body)))
	must(t, err)
	request.Header.Set("authorization", url.QueryEscape(token))
	request.Header.Set("x-ms-date", date)
	request.Header.Set("x-ms-version", version)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	must(t, err)
	return response.StatusCode
}
