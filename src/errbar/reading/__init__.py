"""Tables that people have, read by contract: roles are said, or taken from one table of names. No fits."""
