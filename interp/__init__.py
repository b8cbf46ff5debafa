"""What programs mean and how long they take: values, data sheets, clock and timeline."""
