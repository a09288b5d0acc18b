"""The tuner: finds the fastest plan of a kernel on this machine by measuring, and stores it.

space -> survey (compile, count) -> model or all -> verify and measure in worker processes -> database -> reports
"""
