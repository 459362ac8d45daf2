import { useEffect, useState } from 'preact/hooks'

/**
 * Returns the whole seconds until a moment; 0 if the moment has passed or is null.
 *
 * @param {number | null} moment in milliseconds since 1970
 */
export function useSeconds(moment) {
  const [, draw] = useState(0)
  const seconds = Math.max(0, Math.ceil(((moment ?? 0) - Date.now()) / 1000))
  useEffect(() => {
    if (seconds === 0) return
    const timer = setTimeout(() => draw(Date.now()), 1000)
    return () => clearTimeout(timer)
  })
  return seconds
}
