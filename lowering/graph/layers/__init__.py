"""Parts of networks that libraries run and measure as one: layers of experts, and products that scale an operand to a
small type first."""
