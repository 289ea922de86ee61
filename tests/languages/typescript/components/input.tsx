import { forwardRef, type ReactNode } from "react";

interface RowProps<T> {
  item: T
  /** Shows one. */
  render(item: T): ReactNode
  <K extends keyof T>(key: K): T[K]
  onPick?: (item: T) => void
}

// A row of a list.
export const Row = <T,>({ item, render }: RowProps<T>) => (
  <li>
    <b onClick={() => render(item)}>(one)</b>
    {render(item)}
    <i>(two)</i>
  </li>
);

/** One line of text. */
export const Input = forwardRef<HTMLInputElement, { label: string }>(({ label }, ref): JSX.Element => {
  const onChange = () => {};
  return <input aria-label={label} ref={ref} onChange={onChange} />;
});

export default function List<T extends { id: string }>({ items }: { items: T[] }): JSX.Element {
  const rows = items.map((item) => <Row<T> key={item.id} item={item} render={String} />);
  return <ul>{rows}</ul>;
}
