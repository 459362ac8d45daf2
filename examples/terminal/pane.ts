import type { Key } from './keys.ts'
import type { Line, Sheet, Stop } from './sheet.ts'

/** What is visible of a sheet. */
export interface Part {
  lines: Line[]
  /** The index of the stop with the focus. */
  focus: number
  stop: Stop | undefined
  /** How many lines are above and below. */
  above: number
  below: number
}

/** A sheet, of which a part is visible, with the focus on one of its stops. */
export class Pane {
  /** The index of a stop; below 0, the one with the greatest wish. */
  focus: number
  readonly #build: (width: number) => Sheet
  /** The first visible line. */
  #top = 0
  /** Whether the focus stays visible. Not after the person has scrolled. */
  #follows = true
  #width = 80
  #height = 20

  /** @param build makes the sheet, for each key and each frame anew */
  constructor(build: (width: number) => Sheet, focus = -1) {
    this.#build = build
    this.focus = focus
  }

  /** The part that fits. */
  show(width: number, height: number): Part {
    this.#width = width
    this.#height = height
    const sheet = this.#settle()
    const room = this.#room(sheet)
    const lines = sheet.lines.slice(this.#top, this.#top + room)
    return {
      lines: room < height ? [...sheet.pinned, ...lines] : lines,
      focus: this.focus,
      stop: sheet.stops[this.focus],
      above: this.#top,
      below: Math.max(0, sheet.lines.length - this.#top - room)
    }
  }

  /** Gives the key to the stop with the focus, or moves. Returns false when the key has no use here. */
  key(key: Key): boolean {
    const sheet = this.#settle()
    const stop = sheet.stops[this.focus]
    if (stop === undefined) return this.#move(sheet, key.name)
    const isPress = key.name === 'enter' || key.text === ' '
    if (stop.key?.(key)) this.#follows = true
    else if (!isPress) return this.#move(sheet, key.name)
    // What is scrolled out of view is not pressed, but shown.
    else if (!this.#visibleStops(sheet).includes(this.focus)) this.#follows = true
    else stop.press()
    return true
  }

  /** Puts the focus on a stop. */
  go(focus: number): void {
    this.focus = focus
    this.#follows = true
  }

  #move(sheet: Sheet, name: Key['name']): boolean {
    const count = sheet.stops.length
    const page = Math.max(1, this.#room(sheet) - 1)
    const lines = { up: -1, down: 1, 'page-up': -page, 'page-down': page, home: -Infinity, end: Infinity }
    const turn = name === 'tab' ? 1 : -1
    if (name in lines) this.#travel(sheet, lines[name as keyof typeof lines])
    else if (name !== 'tab' && name !== 'back-tab') return false
    else if (count === 0) this.#scroll(sheet, turn)
    else this.go((this.focus + count + turn) % count)
    return true
  }

  /** By one line to the next stop, by more lines to the last one within them. Scrolls if that would skip lines. */
  #travel(sheet: Sheet, by: number): void {
    const isStep = Math.abs(by) === 1
    const reach = isStep ? this.#room(sheet) : Math.abs(by)
    const from = lineOf(sheet, this.focus)
    const stops = sheet.lines.flatMap(({ stop = this.focus }, at) => {
      const distance = (at - from) * Math.sign(by)
      return stop !== this.focus && distance > 0 && distance <= reach ? stop : []
    })
    const next = isStep === by > 0 ? stops[0] : stops.at(-1)
    if (next !== undefined && this.#visibleStops(sheet).includes(this.focus)) this.go(next)
    else this.#scroll(sheet, by)
  }

  /** Keeps the focus, unless it scrolls out of view while another stop is visible. */
  #scroll(sheet: Sheet, by: number): void {
    this.#follows = false
    this.#top = clamp(this.#top + by, 0, sheet.lines.length - this.#room(sheet))
    const visible = this.#visibleStops(sheet)
    const nearest = by > 0 ? visible[0] : visible.at(-1)
    if (nearest !== undefined && !visible.includes(this.focus)) this.focus = nearest
  }

  #visibleStops({ lines, pinned }: Sheet): number[] {
    const room = this.#room({ pinned })
    return lines.slice(this.#top, this.#top + room).flatMap(({ stop }) => stop ?? [])
  }

  /** The lines for what scrolls. On a tiny terminal there is nothing else. */
  #room({ pinned }: Pick<Sheet, 'pinned'>): number {
    const room = this.#height - pinned.length
    return room >= 3 ? room : this.#height
  }

  /** Makes the sheet, and scrolls as little as possible to keep the focus visible. */
  #settle(): Sheet {
    const sheet = this.#build(this.#width)
    const room = this.#room(sheet)
    if (this.focus < 0) {
      const wanted = [2, 1].map(wish => sheet.stops.findIndex(stop => stop.wish === wish))
      this.focus = wanted.find(stop => stop >= 0) ?? 0
    }
    this.focus = clamp(this.focus, 0, sheet.stops.length - 1)
    if (this.#follows && sheet.stops.length > 0) {
      if (this.focus === 0) this.#top = 0
      const first = lineOf(sheet, this.focus)
      const last = sheet.lines.findLastIndex(({ stop }) => stop === this.focus)
      const cursor = sheet.lines.findIndex(line => line.stop === this.focus && line.cursor !== undefined)
      for (const line of [last, first, cursor < 0 ? first : cursor])
        this.#top = clamp(this.#top, line - room + 1, line)
    }
    this.#top = clamp(this.#top, 0, sheet.lines.length - room)
    return sheet
  }
}

/** The first line of a stop. */
function lineOf({ lines }: Sheet, stop: number): number {
  return lines.findIndex(line => line.stop === stop)
}

/** A number between two others; the lower one when they are the wrong way round. */
function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most))
}
