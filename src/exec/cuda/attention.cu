// Multi-head attention with online softmax. A block computes a tile of queries, 64 keys at a time, and keeps only the running
// maximum and the sum of exponentials of each query. Accumulators are float32.
constexpr int KEYS = 64, DEPTH = 16, VALUES = 128;

// Sizes, and the strides of batches, heads and rows.
struct Heads {
    i64 heads, kv_heads, queries, keys, elements, values;
    i64 query[3], key[3], value[3];
    // The mask's strides of batches, heads, queries and keys, if there is one.
    i64 has_mask, mask[4];
    // The result's strides of batches, heads and queries, in rows of values.
    i64 out[3];
    // A query sees keys up to this many positions after its own position.
    i64 lookahead;
    // The number of blocks that share the keys of a query, as in flash decoding. Each writes a partial result, and
    // `combine_splits` combines them.
    i64 splits;
};

// A query of a tile: its position, or -1 if the tile has no such query, and the offsets of its elements, its mask and its
// result. Heads that share keys are adjacent in a tile.
struct Query {
    i64 position, offset, mask_offset, row;
};
__device__ inline Query query_of(const Heads& h, i64 batch, i64 kv_head, i64 i) {
    const i64 group = h.heads / h.kv_heads, head = kv_head * group + i % group, position = i / group;
    return {position < h.queries ? position : -1, batch * h.query[0] + head * h.query[1] + position * h.query[2],
            batch * h.mask[0] + head * h.mask[1] + position * h.mask[2],
            batch * h.out[0] + head * h.out[1] + position * h.out[2]};
}

// A tile of 16 * PER_THREAD queries, each computed by 16 threads, and up to 128 columns of values.
template <class T, int PER_THREAD> struct Tile {
    static constexpr int ROWS = 16 * PER_THREAD;
    const Heads& h;
    // The operands. `key` and `value` point to the head, `value` also to the first column.
    const T *query, *key, *value;
    const float* mask;
    // The number of valid columns.
    i64 columns;
    float scale, masked_bias;
    const Query* queries;
    // The state of each query: the running maximum, the sum of exponentials, and the weighted sums of values (4 of each 64
    // columns).
    float row_max[PER_THREAD], sum[PER_THREAD], values[PER_THREAD][VALUES / KEYS][4];

    __device__ __forceinline__ void reset() {
        UNROLLED(r, PER_THREAD) {
            row_max[r] = -INFINITY;
            sum[r] = 0;
            UNROLLED(part, VALUES / KEYS)
                UNROLLED(c, 4) values[r][part][c] = 0;
        }
    }
    // Multiplies the queries by 64 keys, 4 per thread.
    __device__ __forceinline__ void multiply_keys(i64 at, float (&scores)[PER_THREAD][4]) {
        __shared__ float query_tile[DEPTH][ROWS + 1];
        __shared__ Vec4<float> key_tile[DEPTH][KEYS / 4 + 1];
        const int thread_row = threadIdx.x / 16, thread_column = threadIdx.x % 16;
        for (i64 offset = 0; offset < h.elements; offset += DEPTH) {
            __syncthreads();
            const int d = threadIdx.x % DEPTH;
            const bool in_bounds = offset + d < h.elements;
            for (int r = threadIdx.x / DEPTH; r < ROWS; r += 256 / DEPTH)
                query_tile[d][r] = in_bounds && queries[r].position >= 0 ? (float)query[queries[r].offset + offset + d] : 0.0f;
            for (int k = threadIdx.x / DEPTH; k < KEYS; k += 256 / DEPTH)
                key_tile[d][k / 4].v[k % 4] = in_bounds && at + k < h.keys ? (float)key[(at + k) * h.key[2] + offset + d] : 0.0f;
            __syncthreads();
            for (int i = 0; i < DEPTH; i++) {
                const Vec4<float> k = key_tile[i][thread_column];
                UNROLLED(r, PER_THREAD)
                    UNROLLED(c, 4) scores[r][c] = fmaf(query_tile[i][thread_row * PER_THREAD + r], k.v[c], scores[r][c]);
            }
        }
    }
    // Scales the scores and adds the mask. The score is minus infinity beyond the last key.
    __device__ __forceinline__ void apply_mask(i64 at, float (&scores)[PER_THREAD][4]) {
        UNROLLED(r, PER_THREAD) {
            const Query q = queries[threadIdx.x / 16 * PER_THREAD + r];
            UNROLLED(c, 4) {
                const i64 k = at + threadIdx.x % 16 * 4 + c;
                float score = scores[r][c] * scale;
                if (h.has_mask && k < h.keys && q.position >= 0) score += mask[q.mask_offset + k * h.mask[3]];
                if (k > q.position + h.lookahead) score = masked_bias == -INFINITY ? masked_bias : score + masked_bias;
                scores[r][c] = k < h.keys ? score : -INFINITY;
            }
        }
    }
    // Replaces scores by exponentials relative to the running maximum, and rescales the earlier sums.
    __device__ __forceinline__ void exponentiate(float (&scores)[PER_THREAD][4]) {
        UNROLLED(r, PER_THREAD) {
            float largest = row_max[r], all = 0;
            UNROLLED(c, 4) largest = fmaxf(largest, scores[r][c]);
            for (int step = 8; step; step >>= 1) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
            UNROLLED(c, 4) {
                scores[r][c] = scores[r][c] == -INFINITY ? 0.0f : exp(scores[r][c] - largest);
                all += scores[r][c];
            }
            for (int step = 8; step; step >>= 1) all += __shfl_xor_sync(0xffffffffu, all, step);
            const float rescale = row_max[r] == largest ? 1.0f : exp(row_max[r] - largest);
            row_max[r] = largest;
            sum[r] = sum[r] * rescale + all;
            UNROLLED(part, VALUES / KEYS)
                UNROLLED(c, 4) values[r][part][c] *= rescale;
        }
    }
    // Adds the values of 64 keys, weighted by their exponentials.
    __device__ __forceinline__ void accumulate_values(i64 at, const float (&exponentials)[PER_THREAD][4]) {
        __shared__ Vec4<float> weights[ROWS][KEYS / 4 + 1], value_tile[DEPTH][VALUES / 4];
        const int thread_row = threadIdx.x / 16, thread_column = threadIdx.x % 16;
        UNROLLED(r, PER_THREAD)
            UNROLLED(c, 4) weights[thread_row * PER_THREAD + r][thread_column].v[c] = exponentials[r][c];
        for (int offset = 0; offset < KEYS && at + offset < h.keys; offset += DEPTH) {
            __syncthreads();
            for (int e = threadIdx.x; e < DEPTH * VALUES; e += 256) {
                const int k = e / VALUES, c = e % VALUES;
                const bool in_bounds = at + offset + k < h.keys && c < columns;
                value_tile[k][c / 4].v[c % 4] = in_bounds ? (float)value[(at + offset + k) * h.value[2] + c] : 0.0f;
            }
            __syncthreads();
            UNROLLED(part, VALUES / KEYS) {
                // The accumulators stay in registers only if they are indexed by constants.
                if (part * KEYS >= columns) continue;
                for (int k = 0; k < DEPTH; k += 4) {
                    Vec4<float> v[4];
                    UNROLLED(i, 4) v[i] = value_tile[k + i][part * 16 + thread_column];
                    UNROLLED(r, PER_THREAD) {
                        const Vec4<float> w = weights[thread_row * PER_THREAD + r][(offset + k) / 4];
                        UNROLLED(i, 4) UNROLLED(c, 4) values[r][part][c] = fmaf(w.v[i], v[i].v[c], values[r][part][c]);
                    }
                }
            }
        }
    }
    // Writes the results from column `column` on, which are partial if blocks share the keys. `sums` receives the logarithm of
    // each sum of exponentials, or the maximum and the sum of each partial result.
    template <class U> __device__ __forceinline__ void store(U* out, float* sums, i64 column, i64 rows_before,
                                                             bool has_logs) const {
        const int thread_column = threadIdx.x % 16;
        UNROLLED(r, PER_THREAD) {
            const Query q = queries[threadIdx.x / 16 * PER_THREAD + r];
            if (q.position < 0) continue;
            const i64 row = rows_before + q.row;
            const float factor = h.splits > 1 ? 1.0f : 1 / sum[r];
            UNROLLED(part, VALUES / KEYS)
                UNROLLED(c, 4) {
                    const i64 to = part * KEYS + thread_column * 4 + c;
                    if (to < columns) out[row * h.values + column + to] = values[r][part][c] * factor;
                }
            if (thread_column || column) continue;
            if (h.splits > 1) {
                sums[2 * row] = row_max[r];
                sums[2 * row + 1] = sum[r];
            } else if (has_logs) {
                sums[row] = sum[r] == 0 ? NAN : row_max[r] + log(sum[r]);
            }
        }
    }
};

// `softmax(scale * Q K^T + mask) V`. `masked_bias` is added to the scores of keys that a query does not see.
template <class T, class U, int PER_THREAD>
__global__ void __launch_bounds__(256, 1) attention(const T* __restrict__ query, const T* __restrict__ key,
                                                    const T* __restrict__ value, const float* __restrict__ mask,
                                                    U* __restrict__ out, float* __restrict__ sums,
                                                    const Heads* __restrict__ heads, i64 batches, i64 has_logs, float scale,
                                                    float masked_bias) {
    constexpr int ROWS = Tile<T, PER_THREAD>::ROWS;
    __shared__ Query queries[ROWS];
    const Heads h = *heads;
    const i64 rows = h.queries * (h.heads / h.kv_heads), tiles = (rows + ROWS - 1) / ROWS;
    for (i64 batch_head = blockIdx.z; batch_head < batches * h.kv_heads; batch_head += gridDim.z)
        for (i64 column = (i64)blockIdx.y * VALUES; column < h.values; column += (i64)gridDim.y * VALUES)
            for (i64 job = blockIdx.x; job < tiles * h.splits; job += gridDim.x) {
                const i64 batch = batch_head / h.kv_heads, kv_head = batch_head % h.kv_heads, split = job % h.splits;
                // With a causal mask the last tiles have the most work, so they start first.
                const i64 first = (tiles - 1 - job / h.splits) * ROWS;
                __syncthreads();
                if (threadIdx.x < ROWS) queries[threadIdx.x] = query_of(h, batch, kv_head, first + threadIdx.x);
                __syncthreads();
                Tile<T, PER_THREAD> tile = {h, query, key + batch * h.key[0] + kv_head * h.key[1],
                                   value + batch * h.value[0] + kv_head * h.value[1] + column, mask,
                                   h.values - column < VALUES ? h.values - column : VALUES, scale, masked_bias, queries};
                tile.reset();
                i64 visible = h.keys;
                if (masked_bias == -INFINITY) {
                    const i64 last = (first + ROWS < rows ? first + ROWS - 1 : rows - 1) / (h.heads / h.kv_heads);
                    visible = last + h.lookahead + 1 < 0 ? 0 : last + h.lookahead + 1 < visible ? last + h.lookahead + 1 : visible;
                }
                const i64 blocks = (visible + KEYS - 1) / KEYS;
                for (i64 k = blocks * split / h.splits; k < blocks * (split + 1) / h.splits; k++) {
                    float scores[PER_THREAD][4] = {};
                    tile.multiply_keys(k * KEYS, scores);
                    tile.apply_mask(k * KEYS, scores);
                    tile.exponentiate(scores);
                    tile.accumulate_values(k * KEYS, scores);
                }
                tile.store(out, sums, column, split * batches * h.heads * h.queries, has_logs);
            }
}

// Combines the partial results of the blocks that share a row's keys.
template <class T>
__global__ void combine_splits(const float* __restrict__ parts, const float* __restrict__ sums, T* __restrict__ out,
                               float* __restrict__ logs, i64 rows, i64 values, i64 splits, i64 has_logs) {
    FOR_ELEMENTS(i, rows * values) {
        const i64 row = i / values;
        float row_max = -INFINITY, sum = 0, value = 0;
        for (i64 s = 0; s < splits; s++) row_max = fmaxf(row_max, sums[2 * (s * rows + row)]);
        for (i64 s = 0; s < splits; s++) {
            const float largest = sums[2 * (s * rows + row)], factor = largest == -INFINITY ? 0.0f : exp(largest - row_max);
            sum += sums[2 * (s * rows + row) + 1] * factor;
            value += parts[s * rows * values + i] * factor;
        }
        out[i] = value / sum;
        if (has_logs && i % values == 0) logs[row] = sum == 0 ? NAN : row_max + log(sum);
    }
}
