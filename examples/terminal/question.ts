import type { Question } from 'screen-auth-client'
import type { Key } from './keys.ts'
import type { Say } from './texts.ts'

/** Milliseconds without a key after which a key is an answer, and not one that was typed before the question came. */
const PAUSE = 400

/** A question in the bottom bar. Everything else waits for the answer. */
export class OpenQuestion {
  readonly #question: Question
  readonly #say: Say
  readonly #onAnswer: (yes: boolean) => void
  readonly #pause: NodeJS.Timeout
  #isOpen = false

  constructor(question: Question, say: Say, onOpen: () => void, onAnswer: (yes: boolean) => void) {
    this.#question = question
    this.#say = say
    this.#onAnswer = onAnswer
    this.#pause = setTimeout(() => {
      this.#isOpen = true
      onOpen()
    }, PAUSE)
  }

  /** The choices are there when a key is an answer. */
  get text(): string {
    const { text, label } = this.#question
    return this.#isOpen ? `${text}   [Enter] ${label}   [Esc] ${this.#say('cancel', 'Cancel')}` : text
  }

  key({ name, text }: Key): void {
    const isInitial = (word: string) => text !== '' && word.toLowerCase().startsWith(text.toLowerCase())
    if (!this.#isOpen) this.#pause.refresh()
    else if (name === 'enter' || isInitial(this.#say('yes', 'Yes'))) this.answer(true)
    else if (name === 'escape' || isInitial(this.#say('no', 'No'))) this.answer(false)
  }

  answer(yes: boolean): void {
    clearTimeout(this.#pause)
    this.#onAnswer(yes)
  }
}
