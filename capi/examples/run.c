/* Reads a network from a spec, runs it on memory of its own, and prints the results.
 *
 *     cargo build -p tpulang-capi
 *     cc -I capi capi/examples/run.c -L target/debug -ltpulang_capi -Wl,-rpath,$PWD/target/debug -o run && ./run
 */
#include <stdio.h>
#include <string.h>
#include "tpulang.h"

static const char *SPEC =
    "{\"version\": 1, \"name\": \"net\", \"tensors\": {\"x\": {\"shape\": [2, 2]}}, \"inputs\": [\"x\"],"
    " \"ops\": [{\"op\": \"relu\", \"args\": {\"input\": \"x\"}, \"out\": \"h\"},"
    "           {\"op\": \"add\", \"args\": {\"tensor_i0\": \"h\", \"tensor_i1\": 1.0}, \"out\": \"y\"}],"
    " \"outputs\": [\"y\"]}";

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, tpulang_last_error());
    return 1;
}

int main(void) {
    TpulangGraph *graph = NULL;
    TpulangSession *session = NULL;
    TpulangValueInfo info;
    if (tpulang_graph_from_spec(SPEC, strlen(SPEC), NULL, &graph) != TPULANG_OK) return failed("reading");
    if (tpulang_session_new(graph, "cpu", NULL, &session) != TPULANG_OK) return failed("preparing");
    tpulang_graph_free(graph);

    if (tpulang_session_output(session, 0, &info) != TPULANG_OK) return failed("asking");
    printf("%s: %zu dimensions, dtype %d\n", info.name, info.rank, (int)info.dtype);

    float x[4] = {-1, 2, -3, 4}, y[4] = {0};
    size_t shape[2] = {2, 2};
    TpulangArray feed = {"x", x, TPULANG_FLOAT32, 2, shape};
    TpulangArray result = {"y", y, TPULANG_FLOAT32, 2, shape};
    if (tpulang_session_run(session, &feed, 1, &result, 1) != TPULANG_OK) return failed("running");
    printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);

    /* An error has a message. */
    result.name = "z";
    if (tpulang_session_run(session, &feed, 1, &result, 1) == TPULANG_ERROR) printf("%s\n", tpulang_last_error());
    tpulang_session_free(session);
    return 0;
}
