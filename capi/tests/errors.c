/* Wrong calls, each followed by its message. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "tpulang.h"

static const char *SPEC =
    "{\"version\": 1, \"name\": \"net\", \"mode\": \"quantized\", \"tensors\": {\"x\": {\"shape\": [4],"
    " \"dtype\": \"int8\", \"scale\": 0.5, \"zero_point\": 3}}, \"inputs\": [\"x\"],"
    " \"ops\": [{\"op\": \"relu\", \"args\": {\"input\": \"x\"}, \"out\": \"y\"}], \"outputs\": [\"y\"]}";

static void refused(int status) { printf("%d: %s\n", status, tpulang_last_error()); }

int main(void) {
    TpulangGraph *graph = NULL;
    TpulangSession *session = NULL;
    TpulangValueInfo info;
    TpulangOptions options;
    if (tpulang_options_default(&options, sizeof options)) return 1;
    printf("none: '%s'\n", tpulang_last_error());
    refused(tpulang_graph_read(NULL, NULL, &graph));
    refused(tpulang_graph_read("missing.json", NULL, &graph));
    refused(tpulang_graph_read("", NULL, &graph));
    refused(tpulang_graph_read("missing.json", "weights.npz", &graph));
    refused(tpulang_graph_from_spec("{", 1, NULL, &graph));
    refused(tpulang_graph_from_spec("\xff", 1, NULL, &graph));
    refused(tpulang_graph_from_spec(SPEC, strlen(SPEC), NULL, NULL));
    refused(tpulang_graph_from_spec(SPEC, (size_t)-1, NULL, &graph));
    refused(tpulang_graph_from_mlir("module", 6, &graph));
    refused(tpulang_session_new(NULL, "cpu", NULL, &session));
    if (tpulang_graph_from_spec(SPEC, strlen(SPEC), NULL, &graph)) return 1;
    refused(tpulang_session_new(graph, "gpu", NULL, &session));
    refused(tpulang_session_new(graph, NULL, NULL, &session));
    for (size_t size = 0; size < 2; size++) {
        options.size = size ? sizeof options + 8 : 3;
        refused(tpulang_session_new(graph, "cpu", &options, &session));
        refused(tpulang_options_default(&options, options.size));
    }
    refused(tpulang_options_default(NULL, sizeof options));
    if (tpulang_options_default(&options, sizeof options)) return 1;
    options.float16 = 1;
    refused(tpulang_session_new(graph, "cpu", &options, &session));

    /* The header of an earlier version lacks the last option, and nothing behind the others is written or read. */
    union {
        TpulangOptions options;
        unsigned char bytes[sizeof(TpulangOptions)];
    } earlier;
    const size_t fewer = offsetof(TpulangOptions, max_iterations);
    memset(earlier.bytes, 0xff, sizeof earlier);
    if (tpulang_options_default(&earlier.options, fewer)) return 1;
    printf("%d %d\n", earlier.options.size == fewer, earlier.options.max_iterations == UINT64_MAX);
    if (tpulang_session_new(graph, "cpu", &earlier.options, &session)) return 1;
    tpulang_session_free(session);
    session = NULL;
    if (session || tpulang_session_new(graph, "cpu", NULL, &session)) return 1;
    tpulang_graph_free(graph);
    tpulang_graph_free(NULL);
    tpulang_session_free(NULL);

    printf("%zu %zu %zu\n", tpulang_session_input_count(session), tpulang_session_output_count(session),
           tpulang_session_input_count(NULL));
    if (tpulang_session_input(session, 0, &info)) return 1;
    printf("%s %d %zu %zu: %zu %g %d\n", info.name, (int)info.dtype, info.rank, info.shape[0], info.scale_count,
           info.scales[0], (int)info.zero_points[0]);
    refused(tpulang_session_output(session, 1, &info));
    refused(tpulang_session_output(session, 0, NULL));
    refused(tpulang_session_output(NULL, 0, &info));

    signed char memory[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    size_t shape[1] = {4};
    TpulangArray x = {"x", memory, TPULANG_INT8, 1, shape}, y = {"y", memory + 5, TPULANG_INT8, 1, shape};
    refused(tpulang_session_run(NULL, &x, 1, &y, 1));
    refused(tpulang_session_run(session, NULL, 1, &y, 1));
    refused(tpulang_session_run(session, NULL, 0, &y, 1));
    refused(tpulang_session_run(session, &x, (size_t)-1, &y, 1));
    refused(tpulang_session_run(session, &x, 1, &y, (size_t)-1));
    refused(tpulang_session_run(session, (TpulangArray *)((char *)&x + 1), 1, &y, 1));
    x.rank = (size_t)-1;
    refused(tpulang_session_run(session, &x, 1, &y, 1));
    x.rank = 1;
    TpulangArray twice[2] = {x, x};
    refused(tpulang_session_run(session, twice, 2, &y, 1));
    y.data = memory + 3;
    refused(tpulang_session_run(session, &x, 1, &y, 1));
    y.data = NULL;
    refused(tpulang_session_run(session, &x, 1, &y, 1));
    y.data = memory + 5;
    y.dtype = 99;
    refused(tpulang_session_run(session, &x, 1, &y, 1));
    y.dtype = TPULANG_UINT8;
    refused(tpulang_session_run(session, &x, 1, &y, 1));
    y.dtype = TPULANG_INT8;
    y.name = NULL;
    refused(tpulang_session_run(session, &x, 1, &y, 1));
    printf("%d %d\n", memory[5], memory[9]);
    y.name = "y";
    if (tpulang_session_run(session, &x, 1, &y, 1)) return 1;
    printf("%d %d %d\n", memory[5], memory[8], memory[9]);
    tpulang_session_free(session);
    return 0;
}
