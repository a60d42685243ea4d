package conformance

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func TestAPatchAppliesItsOperations(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	create(t, container, text("x"), document{"id": "a", "pk": "x", "n": 1, "gone": true})
	patch := azcosmos.PatchOperations{}
	patch.AppendIncrement("/n", 41)
	patch.AppendAdd("/added", "yes")
	patch.AppendRemove("/gone")
	_, err := container.PatchItem(ctx, text("x"), "a", patch, nil)
	must(t, err)
	item := read(t, container, text("x"), "a")
	equal(t, item.number("n"), 42)
	equal(t, item.text("added"), "yes")
	_, isThere := item["gone"]
	equal(t, isThere, false)
}

func TestAPatchHasACondition(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	create(t, container, text("x"), document{"id": "a", "pk": "x", "n": 1})
	patch := azcosmos.PatchOperations{}
	patch.SetCondition("from c where c.n = 1")
	patch.AppendSet("/n", 2)
	_, err := container.PatchItem(ctx, text("x"), "a", patch, nil)
	must(t, err)
	_, err = container.PatchItem(ctx, text("x"), "a", patch, nil)
	fails(t, err, 412)
}

func TestABatchHappensWhollyOrNotAtAll(t *testing.T) {
	_, database := newDatabase(t)
	container := newContainer(t, database, 0, "/pk")
	batch := container.NewTransactionalBatch(text("x"))
	batch.CreateItem(encode(t, document{"id": "a", "pk": "x"}), nil)
	batch.CreateItem(encode(t, document{"id": "b", "pk": "x"}), nil)
	batch.ReadItem("a", nil)
	batch.DeleteItem("b", nil)
	response, err := container.ExecuteTransactionalBatch(ctx, batch, nil)
	must(t, err)
	equal(t, response.Success, true)
	for i, status := range []int32{201, 201, 200, 204} {
		equal(t, response.OperationResults[i].StatusCode, status)
	}

	failing := container.NewTransactionalBatch(text("x"))
	failing.CreateItem(encode(t, document{"id": "c", "pk": "x"}), nil)
	failing.CreateItem(encode(t, document{"id": "a", "pk": "x"}), nil)
	response, err = container.ExecuteTransactionalBatch(ctx, failing, nil)
	must(t, err)
	equal(t, response.Success, false)
	equal(t, response.OperationResults[0].StatusCode, 424)
	equal(t, response.OperationResults[1].StatusCode, 409)
	_, err = container.ReadItem(ctx, text("x"), "c", nil)
	fails(t, err, 404)
}
