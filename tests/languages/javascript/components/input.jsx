import React, { forwardRef, memo } from "react";

// A row of a list.
export const Row = memo(function Row({ item, onPick }) {
  const pick = () => onPick(item);
  return <li onClick={pick}>{item.name}</li>;
});

/** One line of text. */
const Input = forwardRef(({ label, ...props }, ref) => (
  <label>
    {label} <input ref={ref} {...props} />
  </label>
));

export const Panel = React.memo(React.forwardRef((props, ref) => <div ref={ref} />));
const Lazy = React.lazy(() => import("./Panel"));
const useItems = (url) => {
  const [items, setItems] = useState([]);
  return items;
};

export default class Page extends React.Component {
  state = { open: false };
  toggle = () => this.setState({ open: true });
  static Title = ({ text }) => <h1>{text}</h1>;

  render() {
    return (
      <>
        <Page.Title text="Items &amp; more" />
        {this.props.items.map((item) => <Row key={item.id} item={item} />)}
      </>
    );
  }
}

Page.Empty = function () { return <p>Nothing here</p>; };
