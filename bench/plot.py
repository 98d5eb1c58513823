"""Plots as SVG, for the scripts beside this file."""
import math

COLORS = ("#1b6ca8", "#c4572b", "#3c8d40", "#7a4fa3", "#8a6d1f", "#555555")


def power_text(value):
    for unit, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "µ")):
        if value >= unit * 0.999:
            return f"{value / unit:.0f} {name}".strip()
    return f"{value:g}"


def plot(path, title, unit, lines, dots=(), note="a model", over="processes"):
    """Lines over the number of processes, both axes logarithmic; lines is [(name, [(x, y) …], dashed)]."""
    width, height, left, top, right, bottom = 640, 380, 70, 44, 170, 44
    points = [p for _, line, _ in lines for p in line if p[1] > 0] + [p for p in dots if p[1] > 0]
    low, high = (math.floor(math.log10(min(y for _, y in points))), math.ceil(math.log10(max(y for _, y in points))))
    most = math.log2(max(x for x, _ in points))

    def at(x, y):
        return (left + (width - left - right) * math.log2(x) / most,
                top + (height - top - bottom) * (high - math.log10(y)) / max(1, high - low))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
           f'font-size="12" fill="#222"><title>{title}</title>',
           f'<rect width="{width}" height="{height}" rx="6" fill="#fdfdfb"/>',
           f'<text x="{left}" y="20" font-size="13" font-weight="bold">{title}</text>',
           f'<text x="{left}" y="35" fill="#666">{unit}, over the number of {over}</text>']
    for power in range(low, high + 1):
        _, y = at(1, 10.0 ** power)
        out.append(f'<path d="M{left} {y:.1f}H{width - right}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{power_text(10.0 ** power)}</text>')
    for power in range(0, int(most) + 1, 2):
        x, _ = at(2 ** power, 10.0 ** low)
        out.append(f'<path d="M{x:.1f} {top}V{height - bottom}" stroke="#eee"/>'
                   f'<text x="{x:.1f}" y="{height - bottom + 18}" text-anchor="middle">{2 ** power}</text>')
    for i, (name, line, dashed) in enumerate(lines):
        path_text = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in line if y > 0)
        color, y = COLORS[i % len(COLORS)], top + 14 + 18 * i
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        out.append(f'<polyline points="{path_text}" fill="none" stroke="{color}" stroke-width="2"{dash}/>'
                   f'<path d="M{width - right + 10} {y - 4}h18" stroke="{color}" stroke-width="2"{dash}/>'
                   f'<text x="{width - right + 33}" y="{y}">{name}</text>')
    for x, y in dots:
        if y > 0:
            out.append('<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="none" stroke="#222" stroke-width="1.5"/>'.format(*at(x, y)))
    if dots:
        y = top + 14 + 18 * len(lines)
        out.append(f'<circle cx="{width - right + 19}" cy="{y - 4}" r="4" fill="none" stroke="#222" stroke-width="1.5"/>'
                   f'<text x="{width - right + 33}" y="{y}">measured</text>')
    out.append(f'<text x="{width - right + 10}" y="{height - bottom}" fill="#a33">{note}</text></svg>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


def bars(path, title, unit, parts, rows, note):
    """A bar for each row [(name, [length of each part])], linear; parts are names."""
    width, left, top, right, step = 640, 110, 60, 90, 34
    height, most = top + step * len(rows) + 40, max(sum(lengths) for _, lengths in rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
           f'font-size="12" fill="#222"><title>{title}</title>',
           f'<rect width="{width}" height="{height}" rx="6" fill="#fdfdfb"/>',
           f'<text x="14" y="20" font-size="13" font-weight="bold">{title}</text>',
           f'<text x="14" y="35" fill="#666">{unit}</text>']
    for i, (name, lengths) in enumerate(rows):
        x, y = float(left), top + step * i
        out.append(f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{name}</text>')
        for color, length in zip(COLORS, lengths):
            wide = (width - left - right) * length / most
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="22" fill="{color}"/>')
            x += wide
        out.append(f'<text x="{x + 6:.1f}" y="{y + 15}">{sum(lengths):.3g}</text>')
    x = left
    for color, part in zip(COLORS, parts):
        out.append(f'<rect x="{x}" y="{height - 30}" width="12" height="12" fill="{color}"/>'
                   f'<text x="{x + 17}" y="{height - 20}">{part}</text>')
        x += 32 + 7 * len(part)
    out.append(f'<text x="{width - 14}" y="20" text-anchor="end" fill="#a33">{note}</text></svg>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")
