# make serve   set up, build, and run the server with its data in ./data (more options: make serve ARGS="--port 8082")
# make test    set up, build, and pass every test; make test-long fuzzes and kills longer, for an hour or so
# make bench   compare with peers, side by side
# make check   formatting, clang-tidy, layers
# make clean   remove what was built (never ./data)

.PHONY: serve build test test-long bench check format clean

serve: build
	build/release/partita serve --data data $(ARGS)

build:
	@scripts/build release partita

test:
	@scripts/test

test-long:
	@PARTITA_FUZZ_SECONDS=120 PARTITA_KILLS=200 scripts/test

bench:
	@scripts/setup build
	@cmake --preset release -DPARTITA_BENCH=ON > build/configure-bench.log && ninja -C build/release
	@bench/run; status=$$?; bench/queries && bench/split && bench/scripts && bench/neighbours && exit $$status

check:
	@scripts/check

format:
	@scripts/check --fix

clean:
	rm -rf build
