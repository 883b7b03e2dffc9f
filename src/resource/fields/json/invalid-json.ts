/** The form's value while the text is not valid JSON. It is never sent. */
export class InvalidJson {
  constructor(
    readonly text: string,
    readonly reason: string,
  ) {}
}
