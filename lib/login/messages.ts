/** What a login says to the person: at most 42 characters, because known clients cut a message there. */
export const messages = {
  wrong: 'Wrong username or password.',
  noPassword: 'Please enter your password.',
  incomplete: 'Please enter username and password.',
  malformed: 'The login request is malformed.',
  tooLarge: 'The login request is too large.',
  notJson: 'The login request must be JSON.',
  refused: 'The login request was refused.',
  failed: 'No login at the moment, try again later.',
  blocked: (seconds: number) => `Too many tries. Try again in ${inWords(seconds)}.`
}

/** In the largest unit of which there are at least two. */
function inWords(seconds: number): string {
  const [unit, size] = seconds < 120 ? ['second', 1] : seconds < 7200 ? ['minute', 60] : ['hour', 3600]
  return new Intl.NumberFormat('en', { style: 'unit', unitDisplay: 'long', unit }).format(
    Math.ceil(seconds / size)
  )
}
