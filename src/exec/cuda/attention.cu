// Attention of many heads, one block per tile of queries. It processes 64 keys at a time, and keeps only each query's largest score
// and its sum of exponentials. Accumulators are float32.
constexpr int KEYS = 64, DEPTH = 16, VALUES = 128;

// Sizes and strides: from one batch, head and row to the next.
struct Heads {
    i64 heads, shared, queries, keys, elements, values;
    i64 query[3], key[3], value[3];
    // The mask's strides of batches, heads, queries and keys, if there is one.
    i64 has_mask, mask[4];
    // The result's strides of batches, heads and queries, in rows of values.
    i64 out[3];
    // A query sees keys up to this many positions after its own.
    i64 behind;
    // Number of blocks that share the keys of a query. Each writes a partial result, which `joined` combines.
    i64 splits;
};

// A query of a tile, in which heads that share keys are adjacent: its index, or -1 if there is none, and the offsets of its elements,
// its mask and its result.
struct Query {
    i64 place, from, entries, row;
};
__device__ inline Query query_of(const Heads& h, i64 batch, i64 shared, i64 i) {
    const i64 group = h.heads / h.shared, head = shared * group + i % group, place = i / group;
    return {place < h.queries ? place : -1, batch * h.query[0] + head * h.query[1] + place * h.query[2],
            batch * h.mask[0] + head * h.mask[1] + place * h.mask[2], batch * h.out[0] + head * h.out[1] + place * h.out[2]};
}

// 16 * EACH queries, each shared by 16 threads, and up to 128 columns of values.
template <class T, int EACH> struct Tile {
    static constexpr int ROWS = 16 * EACH;
    const Heads& h;
    // The tensors; keys and values point to the head, values also to the first column.
    const T *query, *key, *value;
    const float* mask;
    // The number of valid columns.
    i64 columns;
    float scale, beyond;
    const Query* queries;
    // The state of each query: the largest score, the sum of exponentials, and the weighted sums of values, 4 of each 64 columns.
    float most[EACH], sum[EACH], values[EACH][VALUES / KEYS][4];

    __device__ __forceinline__ void begin() {
        UNROLLED(r, EACH) {
            most[r] = -INFINITY;
            sum[r] = 0;
            UNROLLED(part, VALUES / KEYS)
                UNROLLED(c, 4) values[r][part][c] = 0;
        }
    }
    // The products of the queries with 64 keys, 4 of them per thread.
    __device__ __forceinline__ void products(i64 at, float (&scores)[EACH][4]) {
        __shared__ float of_query[DEPTH][ROWS + 1];
        __shared__ Four<float> of_key[DEPTH][KEYS / 4 + 1];
        const int down = threadIdx.x / 16, across = threadIdx.x % 16;
        for (i64 from = 0; from < h.elements; from += DEPTH) {
            __syncthreads();
            const int d = threadIdx.x % DEPTH;
            const bool is_there = from + d < h.elements;
            for (int r = threadIdx.x / DEPTH; r < ROWS; r += 256 / DEPTH)
                of_query[d][r] = is_there && queries[r].place >= 0 ? (float)query[queries[r].from + from + d] : 0.0f;
            for (int k = threadIdx.x / DEPTH; k < KEYS; k += 256 / DEPTH)
                of_key[d][k / 4].of[k % 4] = is_there && at + k < h.keys ? (float)key[(at + k) * h.key[2] + from + d] : 0.0f;
            __syncthreads();
            for (int i = 0; i < DEPTH; i++) {
                const Four<float> k = of_key[i][across];
                UNROLLED(r, EACH)
                    UNROLLED(c, 4) scores[r][c] = fmaf(of_query[i][down * EACH + r], k.of[c], scores[r][c]);
            }
        }
    }
    // Scales the scores and adds the mask; minus infinity if there is no key.
    __device__ __forceinline__ void masked(i64 at, float (&scores)[EACH][4]) {
        UNROLLED(r, EACH) {
            const Query q = queries[threadIdx.x / 16 * EACH + r];
            UNROLLED(c, 4) {
                const i64 k = at + threadIdx.x % 16 * 4 + c;
                float score = scores[r][c] * scale;
                if (h.has_mask && k < h.keys && q.place >= 0) score += mask[q.entries + k * h.mask[3]];
                if (k > q.place + h.behind) score = beyond == -INFINITY ? beyond : score + beyond;
                scores[r][c] = k < h.keys ? score : -INFINITY;
            }
        }
    }
    // Turns scores into exponentials relative to the largest score so far, and rescales earlier sums to it.
    __device__ __forceinline__ void powers(float (&scores)[EACH][4]) {
        UNROLLED(r, EACH) {
            float largest = most[r], all = 0;
            UNROLLED(c, 4) largest = fmaxf(largest, scores[r][c]);
            for (int step = 8; step; step >>= 1) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
            UNROLLED(c, 4) {
                scores[r][c] = scores[r][c] == -INFINITY ? 0.0f : exp(scores[r][c] - largest);
                all += scores[r][c];
            }
            for (int step = 8; step; step >>= 1) all += __shfl_xor_sync(0xffffffffu, all, step);
            const float fading = most[r] == largest ? 1.0f : exp(most[r] - largest);
            most[r] = largest;
            sum[r] = sum[r] * fading + all;
            UNROLLED(part, VALUES / KEYS)
                UNROLLED(c, 4) values[r][part][c] *= fading;
        }
    }
    // Adds the values of 64 keys, weighted by their exponentials.
    __device__ __forceinline__ void weigh(i64 at, const float (&powers)[EACH][4]) {
        __shared__ Four<float> weights[ROWS][KEYS / 4 + 1], of_value[DEPTH][VALUES / 4];
        const int down = threadIdx.x / 16, across = threadIdx.x % 16;
        UNROLLED(r, EACH)
            UNROLLED(c, 4) weights[down * EACH + r][across].of[c] = powers[r][c];
        for (int from = 0; from < KEYS && at + from < h.keys; from += DEPTH) {
            __syncthreads();
            for (int e = threadIdx.x; e < DEPTH * VALUES; e += 256) {
                const int k = e / VALUES, c = e % VALUES;
                const bool is_there = at + from + k < h.keys && c < columns;
                of_value[k][c / 4].of[c % 4] = is_there ? (float)value[(at + from + k) * h.value[2] + c] : 0.0f;
            }
            __syncthreads();
            UNROLLED(part, VALUES / KEYS) {
                // The accumulators stay in registers only if every index of them is a constant.
                if (part * KEYS >= columns) continue;
                for (int k = 0; k < DEPTH; k += 4) {
                    Four<float> v[4];
                    UNROLLED(i, 4) v[i] = of_value[k + i][part * 16 + across];
                    UNROLLED(r, EACH) {
                        const Four<float> w = weights[down * EACH + r][(from + k) / 4];
                        UNROLLED(i, 4) UNROLLED(c, 4) values[r][part][c] = fmaf(w.of[i], v[i].of[c], values[r][part][c]);
                    }
                }
            }
        }
    }
    // Writes the results from the column `column` on, or partial ones if blocks share the keys. `sums` receives the logarithms of the
    // sums of exponentials, or the largest score and the sum of each part.
    template <class U> __device__ __forceinline__ void write(U* out, float* sums, i64 column, i64 rows_before, bool has_logs) const {
        const int across = threadIdx.x % 16;
        UNROLLED(r, EACH) {
            const Query q = queries[threadIdx.x / 16 * EACH + r];
            if (q.place < 0) continue;
            const i64 row = rows_before + q.row;
            const float factor = h.splits > 1 ? 1.0f : 1 / sum[r];
            UNROLLED(part, VALUES / KEYS)
                UNROLLED(c, 4) {
                    const i64 to = part * KEYS + across * 4 + c;
                    if (to < columns) out[row * h.values + column + to] = values[r][part][c] * factor;
                }
            if (across || column) continue;
            if (h.splits > 1) {
                sums[2 * row] = most[r];
                sums[2 * row + 1] = sum[r];
            } else if (has_logs) {
                sums[row] = sum[r] == 0 ? NAN : most[r] + log(sum[r]);
            }
        }
    }
};

// `softmax(scale * Q K^T + mask) V`. `beyond` is added to the scores of keys that a query does not see.
template <class T, class U, int EACH>
__global__ void __launch_bounds__(256, 1) attention(const T* __restrict__ query, const T* __restrict__ key,
                                                 const T* __restrict__ value, const float* __restrict__ mask,
                                                 U* __restrict__ out, float* __restrict__ sums, const Heads* __restrict__ heads,
                                                 i64 batches, i64 has_logs, float scale, float beyond) {
    constexpr int ROWS = Tile<T, EACH>::ROWS;
    __shared__ Query queries[ROWS];
    const Heads h = *heads;
    const i64 rows = h.queries * (h.heads / h.shared), tiles = (rows + ROWS - 1) / ROWS;
    for (i64 stack = blockIdx.z; stack < batches * h.shared; stack += gridDim.z)
        for (i64 column = (i64)blockIdx.y * VALUES; column < h.values; column += (i64)gridDim.y * VALUES)
            for (i64 job = blockIdx.x; job < tiles * h.splits; job += gridDim.x) {
                const i64 batch = stack / h.shared, shared = stack % h.shared, split = job % h.splits;
                // In causal attention the last tiles have the most work, so they start first.
                const i64 first = (tiles - 1 - job / h.splits) * ROWS;
                __syncthreads();
                if (threadIdx.x < ROWS) queries[threadIdx.x] = query_of(h, batch, shared, first + threadIdx.x);
                __syncthreads();
                Tile<T, EACH> tile = {h, query, key + batch * h.key[0] + shared * h.key[1],
                                   value + batch * h.value[0] + shared * h.value[1] + column, mask,
                                   h.values - column < VALUES ? h.values - column : VALUES, scale, beyond, queries};
                tile.begin();
                i64 seen = h.keys;
                if (beyond == -INFINITY) {
                    const i64 last = (first + ROWS < rows ? first + ROWS - 1 : rows - 1) / (h.heads / h.shared);
                    seen = last + h.behind + 1 < 0 ? 0 : last + h.behind + 1 < seen ? last + h.behind + 1 : seen;
                }
                const i64 blocks = (seen + KEYS - 1) / KEYS;
                for (i64 k = blocks * split / h.splits; k < blocks * (split + 1) / h.splits; k++) {
                    float scores[EACH][4] = {};
                    tile.products(k * KEYS, scores);
                    tile.masked(k * KEYS, scores);
                    tile.powers(scores);
                    tile.weigh(k * KEYS, scores);
                }
                tile.write(out, sums, column, split * batches * h.heads * h.queries, has_logs);
            }
}

// Combines the partial results of the blocks that share a row's keys.
template <class T>
__global__ void joined(const float* __restrict__ parts, const float* __restrict__ sums, T* __restrict__ out,
                       float* __restrict__ logs, i64 rows, i64 values, i64 splits, i64 has_logs) {
    FOR_ELEMENTS(i, rows * values) {
        const i64 row = i / values;
        float most = -INFINITY, sum = 0, value = 0;
        for (i64 s = 0; s < splits; s++) most = fmaxf(most, sums[2 * (s * rows + row)]);
        for (i64 s = 0; s < splits; s++) {
            const float largest = sums[2 * (s * rows + row)], factor = largest == -INFINITY ? 0.0f : exp(largest - most);
            sum += sums[2 * (s * rows + row) + 1] * factor;
            value += parts[s * rows * values + i] * factor;
        }
        out[i] = value / sum;
        if (has_logs && i % values == 0) logs[row] = sum == 0 ? NAN : most + log(sum);
    }
}
