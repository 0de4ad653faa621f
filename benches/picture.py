"""Draws the ratios of report.py as SVG."""
import statistics

COLORS = {"onnxruntime": "#4477aa", "openvino": "#66ccee", "rten": "#228833", "tract": "#ccbb44", "torch": "#ee6677", "pymlir": "#999999"}


def picture(rows, titles):
    """Draw one bar per model and peer with its ratio, on the fewest threads; the dashed line is 1."""
    threads = min(r["threads"] for r in rows)
    rows = [r for r in rows if r["threads"] == threads]
    rows = [r for r in rows if r["model"]] or rows
    middle = lambda r, p: statistics.geometric_mean(r["ratios"][p]) if r["ratios"][p] else None
    longest = max([2.0] + [min(middle(r, p) or 0, 4.0) for r in rows for p in COLORS])
    left, width, bar, gap = 190, 480, 11, 12
    scale = width / longest
    parts, y = [], 44
    for r in rows:
        peers = [p for p in COLORS if r["ratios"][p]]
        parts.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (left - 8, y + bar * len(peers) / 2 + 4, r["name"]))
        for p in peers:
            value = middle(r, p)
            length = min(value, longest) * scale
            parts.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>' % (left, y, length, bar - 2, COLORS[p]))
            parts.append('<text x="%.1f" y="%d" font-size="9">%.2f</text>' % (left + length + 4, y + bar - 3, value))
            y += bar
        y += gap
    for i, p in enumerate(COLORS):
        x = left + (i - 1) * 110
        parts.append('<rect x="%d" y="10" width="10" height="10" fill="%s"/><text x="%d" y="19">%s</text>' % (x, COLORS[p], x + 15, titles[p]))
    parts.append('<line x1="%.1f" x2="%.1f" y1="34" y2="%d" stroke="black" stroke-dasharray="3 3"/>' % (left + scale, left + scale, y))
    title = "the other's time divided by tpulang's, %s" % ("1 thread" if threads == 1 else "%d threads" % threads)
    parts.append('<text x="%d" y="%d">%s</text>' % (left, y + 14, title))
    return '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12"><rect width="100%%" height="100%%" fill="white"/>\n%s\n</svg>\n' % (left + width + 60, y + 24, "\n".join(parts))
