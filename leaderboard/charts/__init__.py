"""Figures with the tables behind them. They are built from typed rows; a script draws them where there is one."""
