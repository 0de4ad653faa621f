// What a position beyond the ends of an axis reads.
enum { CONSTANT, EDGE, REFLECT, SYMMETRIC, WRAP };

// Maps each axis independently, for padding and rotation. `axes` holds for each axis the size of the result, the size of the
// input, the number of positions before the first element, and the input's stride. Elements are copied as unsigned integers of
// the same size.
template <class T>
__global__ void map_axes(const T* __restrict__ from, T* __restrict__ to, const T* __restrict__ value,
                         const i64* __restrict__ axes, i64 rank, i64 beyond, i64 n) {
    FOR_ELEMENTS(i, n) {
        i64 rest = i, offset = 0;
        for (i64 a = rank - 1; a >= 0 && offset >= 0; a--) {
            const i64 positions = axes[4 * a], size = axes[4 * a + 1], before = axes[4 * a + 2], stride = axes[4 * a + 3];
            i64 at = rest % positions - before;
            rest /= positions;
            if (at < 0 || at >= size) {
                switch (beyond) {
                    case EDGE: at = at < 0 ? 0 : size - 1; break;
                    case REFLECT: at = at < 0 ? -at : 2 * size - 2 - at; break;
                    case SYMMETRIC: at = at < 0 ? -1 - at : 2 * size - 1 - at; break;
                    case WRAP: at = at % size + (at < 0 ? size : 0); break;
                    default: at = -1;
                }
            }
            offset = at < 0 ? -1 : offset + at * stride;
        }
        to[i] = offset < 0 ? *value : from[offset];
    }
}
