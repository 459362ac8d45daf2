/** Seconds in words, in the largest unit of which there are at least two. */
export function inWords(language: string, seconds: number): string {
  const [unit, size] = seconds < 120 ? ['second', 1] : seconds < 7200 ? ['minute', 60] : ['hour', 3600]
  return new Intl.NumberFormat(language, { style: 'unit', unitDisplay: 'long', unit }).format(
    Math.ceil(seconds / size)
  )
}
