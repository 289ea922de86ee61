import { type FC, useMemo } from "react";

type Props<T> = { items: T[]; onPick: (item: T) => void };

/** Auswahl: eine Liste zum Blättern. */
export function Picker<T extends Named>({ items, onPick }: Props<T>): JSX.Element {
  const sorted = useMemo<T[]>(() => sortBy(items, byName), [items]);
  return (
    <List<T> items={sorted} onSelect={onPick} render={views.renderItem}>
      <p className="hint">{hint}</p>
      <Menu.Entry title={format(items)} />
    </List>
  );
}

export const Shown: FC<Props<Book>> = (props) => <Picker {...props} />;
