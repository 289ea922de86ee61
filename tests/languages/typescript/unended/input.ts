export interface Creator<State> {
  /** Without a payload. */
  (): void
  <Payload>(prepare: (payload: Payload) => State): Prepared<
    Payload
  >
  // With more of it.
  /** And with an error. */

  <
    Payload,
    Failure = Error,
  >(
    payload: Payload,
  ): Failure
  label: string
  <T>(value: T): T
  withTypes<Other>(): Creator<Other>
}

export interface Selector<T> {
  (state: T): boolean
  <U>(state: T, of: U): U
}

/** Still found. */
export function after(a: number): boolean {
  return a < 1
    && 2
      < (3)
}

const shape = () =>
  <Shape>(made())
