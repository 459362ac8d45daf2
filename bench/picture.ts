/** Pixels: the left margin, the length of the ratio 1, and the height of a line. A longer ratio than MAX is cut. */
const [LEFT, UNIT, LINE, MAX] = [16, 84, 14, 7]
const COLOURS = ['#8b949e', '#1a7f37', '#2f81f7', '#bf6a02']
const STYLE = `svg{background:#fff;color:#1f2328;font:11px sans-serif}
text{fill:currentColor;stroke:#fff;stroke-width:4px;paint-order:stroke}
@media(prefers-color-scheme:dark){svg{background:#0d1117;color:#e6edf3}text{stroke:#0d1117}}`

/**
 * Draws the table of docs/performance.md, given as cells with the head first: bars for each row, and a dashed line for
 * the first server, whose ratio is 1.
 */
export function draw([[name = '', first = '', ...servers] = [], ...rows]: string[][]): string {
  const parts: string[] = []
  let y = LINE
  const text = (x: number, content: string) => parts.push(`<text x="${x}" y="${y + LINE - 3}">${content}</text>`)
  const bar = (server: number, width: number) =>
    parts.push(`<rect x="${LEFT}" y="${y + 2}" width="${width}" height="${LINE - 3}" fill="${COLOURS[server]}"/>`)
  for (const [server, label] of servers.entries()) {
    bar(server, LINE)
    text(LEFT + 2 * LINE, label)
    y += LINE
  }
  const top = y + 2
  text(LEFT + UNIT + 4, `${first}: 1`)
  for (const [title = '', , ...ratios] of rows) {
    y += 2 * LINE
    text(LEFT, title)
    for (const [server, ratio] of ratios.entries()) {
      const width = Math.min(Number(ratio), MAX) * UNIT
      if (width === 0) continue
      y += LINE
      bar(server, width)
      text(LEFT + width + 6, Number(ratio) > MAX ? `→ ${ratio}` : ratio)
    }
  }
  const line = `<path d="M${LEFT + UNIT} ${top}V${y + LINE}" stroke="currentColor" stroke-dasharray="3"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 ${y + 2 * LINE}">
<title>${name}</title><style>${STYLE}</style>
${[line, ...parts].join('')}\n</svg>\n`
}
