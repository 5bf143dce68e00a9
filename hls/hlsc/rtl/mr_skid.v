// SPDX-License-Identifier: BSD-2-Clause
/*
 * mr_skid - the two-entry FIFO behind every kernel output.
 *
 * All of ready_o, data_o and valid_o come from registers, so no path runs
 * through it in either direction, and two entries keep it at one item a cycle.
 */
module mr_skid #(
    parameter integer W = 1
) (
    input  wire         clk_i,
    input  wire         rst_ni,
    input  wire [W-1:0] data_i,
    input  wire         valid_i,
    output wire         ready_o,
    output wire [W-1:0] data_o,
    output wire         valid_o,
    input  wire         ready_i
);
    reg [W-1:0] head_q;
    reg [W-1:0] tail_q;
    reg         valid_q;
    reg         full_q; // tail_q holds the second item

    assign ready_o = !full_q;
    assign valid_o = valid_q;
    assign data_o  = head_q;

    wire push = valid_i && !full_q;
    wire pop  = valid_q && ready_i;

    always @(posedge clk_i) begin
        if (!rst_ni) begin
            valid_q <= 1'b0;
            full_q  <= 1'b0;
        end else begin
            valid_q <= push || full_q || (valid_q && !pop);
            full_q  <= (full_q || (push && valid_q)) && !pop;
        end
    end

    // data need no reset: nobody looks at them while valid is low
    always @(posedge clk_i) begin
        if (pop || !valid_q) head_q <= full_q ? tail_q : data_i;
        if (push) tail_q <= data_i;
    end
endmodule
