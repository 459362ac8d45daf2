import type { Place } from './screen-view.ts'

/** The visited screens, for the way back, and the place on each of them. */
export class Trail {
  #steps: { path: string; place?: Place }[] = []

  /**
   * Adds a screen. A screen that was visited before removes those after it. Returns the place on it.
   *
   * @param replaces whether it comes in the place of the last one
   */
  visit(path: string, replaces: boolean): Place | undefined {
    const index = this.#steps.findIndex(step => step.path === path)
    if (index >= 0) this.#steps.length = index + 1
    else this.#steps.splice(replaces ? -1 : this.#steps.length, 1, { path })
    return this.#steps.at(-1)?.place
  }

  /** Notes the place on a screen. */
  note(path: string, place: Place): void {
    const step = this.#steps.find(step => step.path === path)
    if (step !== undefined) step.place = place
  }

  /** The last shown screen. */
  get last(): string | null {
    return this.#steps.at(-1)?.path ?? null
  }

  /** The screen before it. */
  get previous(): string | null {
    return this.#steps.at(-2)?.path ?? null
  }

  forget(): void {
    this.#steps = []
  }
}
