// What stands beyond the ends of an axis.
enum { CONSTANT, EDGE, REFLECT, SYMMETRIC, AROUND };

// Of each axis: positions of the result, entries of the input, how many places earlier an entry is, and how far apart they lie.
// Elements are moved by their bits.
template <class T>
__global__ void by_axes(const T* __restrict__ from, T* __restrict__ to, const T* __restrict__ value, const i64* __restrict__ axes,
                        i64 rank, i64 beyond, i64 n) {
    FOR_ELEMENTS(i, n) {
        i64 left = i, place = 0;
        for (i64 a = rank - 1; a >= 0 && place >= 0; a--) {
            const i64 positions = axes[4 * a], entries = axes[4 * a + 1], before = axes[4 * a + 2], step = axes[4 * a + 3];
            i64 at = left % positions - before;
            left /= positions;
            if (at < 0 || at >= entries) {
                switch (beyond) {
                    case EDGE: at = at < 0 ? 0 : entries - 1; break;
                    case REFLECT: at = at < 0 ? -at : 2 * entries - 2 - at; break;
                    case SYMMETRIC: at = at < 0 ? -1 - at : 2 * entries - 1 - at; break;
                    case AROUND: at = at % entries + (at < 0 ? entries : 0); break;
                    default: at = -1;
                }
            }
            place = at < 0 ? -1 : place + at * step;
        }
        to[i] = place < 0 ? *value : from[place];
    }
}
