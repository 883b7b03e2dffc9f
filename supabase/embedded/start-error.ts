/** A condition the operator can mend: its message is printed as the one line they see, without a stack. */
export class StartError extends Error {
  override name = 'StartError'
}
