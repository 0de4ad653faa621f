// Multi-head attention with online softmax. A block computes a tile of queries, 64 keys at a time, and keeps only the running
// maximum and the sum of exponentials of each query. Accumulators are float32.
constexpr int KEYS = 64, DEPTH = 64, FOURS = DEPTH / 4, VALUES = 2048;

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
    // Whether rows of queries, keys and values consist of aligned groups of four elements.
    i64 is_aligned;
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

// Reads four elements of a row that has `left` more. Those after its end are 0.
template <class T> __device__ __forceinline__ Vec4<float> read_four(const T* row, i64 left, bool is_aligned) {
    Vec4<float> four;
    if (is_aligned && left > 0) {
        const Vec4<T> stored = *(const Vec4<T>*)row;
        UNROLLED(e, 4) four.v[e] = (float)stored.v[e];
    } else {
        UNROLLED(e, 4) four.v[e] = e < left ? (float)row[e] : 0.0f;
    }
    return four;
}

// Elements of a row that a thread reads at once.
template <int N> struct alignas(4 * N) Pack {
    float v[N];
};

// The operands of a tile in shared memory. Rows of 17 groups of four keep the threads of a warp in different banks.
template <int ROWS> struct Operands {
    // In registers, the sizes would leave too few for the accumulators.
    Heads heads;
    Query queries[ROWS];
    Vec4<float> query[ROWS][FOURS + 1];
    // The keys, and later the weights of their values, by query.
    static_assert(ROWS <= KEYS && KEYS <= DEPTH, "the weights fit in the memory of the keys");
    Vec4<float> key[KEYS][FOURS + 1];
    float value[VALUES];
};

// A tile of 16 * PER_THREAD queries, each computed by 16 threads, and of up to COLUMNS columns of values.
template <class T, int PER_THREAD, int COLUMNS> struct Tile {
    static constexpr int ROWS = 16 * PER_THREAD;
    // A thread computes PARTS packs of PACK columns of each of its queries.
    static constexpr int PACK = COLUMNS < 64 ? COLUMNS / 16 : 4, PARTS = COLUMNS / (16 * PACK);
    // The number of keys whose values fit in shared memory.
    static constexpr int STEP = VALUES / COLUMNS;
    const Heads& h;
    // The operands. `key` and `value` point to the head, `value` also to the first column.
    const T *query, *key, *value;
    const float* mask;
    // The number of valid columns.
    i64 columns;
    float scale, masked_bias;
    Operands<ROWS>& shared;
    // The state of each query: the running maximum, the sum of exponentials, and the weighted sums of values.
    float row_max[PER_THREAD], sum[PER_THREAD], values[PER_THREAD][PARTS][PACK];

    __device__ __forceinline__ void reset() {
        UNROLLED(r, PER_THREAD) {
            row_max[r] = -INFINITY;
            sum[r] = 0;
            UNROLLED(part, PARTS)
                UNROLLED(c, PACK) values[r][part][c] = 0;
        }
    }
    // Multiplies the queries by 64 keys. A thread computes 4 of them, 16 apart.
    __device__ __forceinline__ void multiply_keys(i64 at, bool is_first, float (&scores)[PER_THREAD][4]) {
        const int thread_row = threadIdx.x / 16, thread_column = threadIdx.x % 16;
        for (i64 offset = 0; offset < h.elements; offset += DEPTH) {
            const int fours = h.elements - offset < DEPTH ? (int)(h.elements - offset + 3) / 4 : FOURS;
            __syncthreads();
            // Queries of one chunk stay in shared memory.
            if (is_first || h.elements > DEPTH)
                for (int e = threadIdx.x; e < ROWS * fours; e += 256) {
                    const Query& q = shared.queries[e / fours];
                    const i64 d = offset + e % fours * 4, left = q.position >= 0 ? h.elements - d : 0;
                    shared.query[e / fours][e % fours] = read_four(query + q.offset + d, left, h.is_aligned);
                }
            for (int e = threadIdx.x; e < KEYS * fours; e += 256) {
                const i64 k = at + e / fours, d = offset + e % fours * 4, left = k < h.keys ? h.elements - d : 0;
                shared.key[e / fours][e % fours] = read_four(key + k * h.key[2] + d, left, h.is_aligned);
            }
            __syncthreads();
            for (int i = 0; i < fours; i++) {
                Vec4<float> q[PER_THREAD], k[4];
                UNROLLED(r, PER_THREAD) q[r] = shared.query[thread_row * PER_THREAD + r][i];
                UNROLLED(c, 4) k[c] = shared.key[thread_column + 16 * c][i];
                UNROLLED(e, 4)
                    UNROLLED(r, PER_THREAD)
                        UNROLLED(c, 4) scores[r][c] = fmaf(q[r].v[e], k[c].v[e], scores[r][c]);
            }
        }
    }
    // Scales the scores and adds the mask. The score is minus infinity beyond the last key.
    __device__ __forceinline__ void apply_mask(i64 at, float (&scores)[PER_THREAD][4]) {
        UNROLLED(r, PER_THREAD) {
            const Query& q = shared.queries[threadIdx.x / 16 * PER_THREAD + r];
            const i64 last_seen = q.position + h.lookahead;
            UNROLLED(c, 4) {
                const i64 k = at + threadIdx.x % 16 + 16 * c;
                float score = scores[r][c] * scale;
                if (h.has_mask && k < h.keys && q.position >= 0) score += mask[q.mask_offset + k * h.mask[3]];
                if (k > last_seen) score = masked_bias == -INFINITY ? masked_bias : score + masked_bias;
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
            UNROLLED(part, PARTS)
                UNROLLED(c, PACK) values[r][part][c] *= rescale;
        }
    }
    // Adds the values of 64 keys, weighted by their exponentials.
    __device__ __forceinline__ void accumulate_values(i64 at, const float (&exponentials)[PER_THREAD][4]) {
        const int thread_row = threadIdx.x / 16, thread_column = threadIdx.x % 16;
        // All threads have read the keys.
        __syncthreads();
        UNROLLED(r, PER_THREAD) {
            Vec4<float>* const weights = shared.key[thread_row * PER_THREAD + r];
            UNROLLED(c, 4) weights[thread_column / 4 + 4 * c].v[thread_column % 4] = exponentials[r][c];
        }
        for (int offset = 0; offset < KEYS && at + offset < h.keys; offset += STEP) {
            if (offset) __syncthreads();
            for (int e = threadIdx.x; e < STEP * COLUMNS / 4; e += 256) {
                const i64 k = at + offset + e / (COLUMNS / 4), c = e % (COLUMNS / 4) * 4, left = k < h.keys ? columns - c : 0;
                ((Vec4<float>*)shared.value)[e] = read_four(value + k * h.value[2] + c, left, h.is_aligned);
            }
            __syncthreads();
            for (int k = 0; k < STEP; k += 4) {
                Vec4<float> weights[PER_THREAD];
                UNROLLED(r, PER_THREAD) weights[r] = shared.key[thread_row * PER_THREAD + r][(offset + k) / 4];
                UNROLLED(i, 4)
                    UNROLLED(part, PARTS) {
                        const Pack<PACK> v = ((const Pack<PACK>*)shared.value)[((k + i) * PARTS + part) * 16 + thread_column];
                        UNROLLED(r, PER_THREAD)
                            UNROLLED(c, PACK) values[r][part][c] = fmaf(weights[r].v[i], v.v[c], values[r][part][c]);
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
            const Query& q = shared.queries[threadIdx.x / 16 * PER_THREAD + r];
            if (q.position < 0) continue;
            const i64 row = rows_before + q.row;
            const float factor = h.splits > 1 ? 1.0f : 1 / sum[r];
            UNROLLED(part, PARTS)
                UNROLLED(c, PACK) {
                    const i64 to = (part * 16 + thread_column) * PACK + c;
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
template <class T, class U, int PER_THREAD, int COLUMNS>
__global__ void __launch_bounds__(256, COLUMNS > 64 ? 1 : 2) attention(const T* __restrict__ query, const T* __restrict__ key,
                                                    const T* __restrict__ value, const float* __restrict__ mask,
                                                    U* __restrict__ out, float* __restrict__ sums,
                                                    const Heads* __restrict__ heads, i64 batches, i64 has_logs, float scale,
                                                    float masked_bias) {
    constexpr int ROWS = 16 * PER_THREAD;
    __shared__ Operands<ROWS> shared;
    if (threadIdx.x == 0) shared.heads = *heads;
    __syncthreads();
    const Heads& h = shared.heads;
    const i64 rows = h.queries * (h.heads / h.kv_heads), tiles = (rows + ROWS - 1) / ROWS;
    for (i64 batch_head = blockIdx.z; batch_head < batches * h.kv_heads; batch_head += gridDim.z)
        for (i64 column = (i64)blockIdx.y * COLUMNS; column < h.values; column += (i64)gridDim.y * COLUMNS)
            for (i64 job = blockIdx.x; job < tiles * h.splits; job += gridDim.x) {
                const i64 batch = batch_head / h.kv_heads, kv_head = batch_head % h.kv_heads, split = job % h.splits;
                // With a causal mask the last tiles have the most work, so they start first.
                const i64 first = (tiles - 1 - job / h.splits) * ROWS;
                __syncthreads();
                if (threadIdx.x < ROWS) shared.queries[threadIdx.x] = query_of(h, batch, kv_head, first + threadIdx.x);
                __syncthreads();
                Tile<T, PER_THREAD, COLUMNS> tile = {h, query, key + batch * h.key[0] + kv_head * h.key[1],
                                   value + batch * h.value[0] + kv_head * h.value[1] + column, mask,
                                   h.values - column < COLUMNS ? h.values - column : COLUMNS, scale, masked_bias, shared};
                tile.reset();
                i64 visible = h.keys;
                if (masked_bias == -INFINITY) {
                    const i64 last = (first + ROWS < rows ? first + ROWS - 1 : rows - 1) / (h.heads / h.kv_heads);
                    visible = last + h.lookahead + 1 < 0 ? 0 : last + h.lookahead + 1 < visible ? last + h.lookahead + 1 : visible;
                }
                const i64 blocks = (visible + KEYS - 1) / KEYS, begin = blocks * split / h.splits;
                for (i64 k = begin; k < blocks * (split + 1) / h.splits; k++) {
                    float scores[PER_THREAD][4] = {};
                    tile.multiply_keys(k * KEYS, k == begin, scores);
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
