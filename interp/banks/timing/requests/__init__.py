"""Times programs as published memory controllers do: requests wait in queues, and the sheet's scheduler picks."""
