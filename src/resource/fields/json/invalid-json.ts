/** What stands in the form while the text is no JSON: it is never sent, and never silently the last good value. */
export class InvalidJson {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}
