/** Shows one item. */
export default function Item({ item, onClick }) {
  return <li onClick={() => onClick(item)}>{item.name}</li>;
}
