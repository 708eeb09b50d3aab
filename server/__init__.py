"""Tables of Hearts over HTTP, with Redis holding their state."""
