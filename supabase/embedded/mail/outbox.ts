/** A mail as it leaves us, or as the local mailbox shows it. */
export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** The link of the mail, apart, for tests and the mailbox page. */
  link: string
  at: string
}
