import { useState } from "react";

/** Zeigt die Preise in €. */
export function Prices({ items, onBuy }) {
  const [open, setOpen] = useState(false);
  const toggle = () => setOpen(!open);
  return (
    <Panel title="Prices" onOpen={toggle} onBuy={shop.buy} footer={<Total items={items} />}>
      <Table.Row key="first" {...items}>{format(items)}</Table.Row>
      <ul onClick={toggle}><li>{items.length}</li><br /></ul>
      <Menu render={(item) => <Shop.Entry item={item} />} />
    </Panel>
  );
}

const Lazy = load(() => import("./Prices"));
