import React from "react";

type Props = { name: string };

/** Greets somebody. */
export const Greeting = ({ name }: Props): JSX.Element => {
  const onClick = () => alert(name);
  return <button onClick={onClick}>{name}</button>;
};

export class Panel extends React.Component<Props> {
  render() {
    return <Greeting {...this.props} />;
  }
}
