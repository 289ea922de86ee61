describe("a callback", () => {
  const setup = () => 1;
  it("is no entity", function () {});
  function named() {}
  class Fixture { run() {} }
});

export const slice = createSlice({
  reducers: { add(state) {}, remove: (state) => {} },
});

export const api = {
  list(q: string) { return q; },
  nested: { drop: (id: number) => id },
  ready: false,
} satisfies Api;

if (globalThis.debug) {
  const conditional = () => 1;
}

export default { setup: () => ({ inner() {} }) };
