# SPDX-License-Identifier: BSD-2-Clause
# Draws build/plots/*.svg from the data files beside them. usage: gnuplot -e "dir='DIR'" plots.gp
set terminal svg size 800,480 font "sans,12" background "white"
set grid
set key outside right top

set output dir."/loss.svg"
set title "Goodput over loss, 100 Gbit/s, 4 us round trip, 4 paths"
set xlabel "frames lost, per cent"
set ylabel "per cent of the line's payload share"
set yrange [0:105]
plot dir."/loss.dat" using 1:2 with linespoints title "MetaRoCE", \
     "" using 1:4 with lines dashtype 2 title "all that arrives", \
     "" using 1:3 with linespoints title "go-back-N"

set output dir."/incast.svg"
set title "8 senders to one port of 100 Gbit/s"
set xlabel "us"
set ylabel "Gbit/s of each sender on the wire"
set yrange [0:*]
plot for [i = 2:9] dir."/incast.dat" using 1:i with lines title "sender ".(i - 1)

set output dir."/fail.svg"
set title "Routes of 25 Gbit/s each, one of them gone from 300 to 550 us"
set ylabel "Gbit/s of payload out of each route"
plot for [i = 2:5] dir."/fail.dat" using 1:i with lines title "route ".(i - 2)
